#!/usr/bin/env bash
# Makes the icons of the site as an app in crates/web/site from the board's icon. They are in the repository: run it
# after a change of icon.svg.
#
#   scripts/icons.sh
#
# Needs rsvg-convert (Debian: librsvg2-bin). Systems cut `maskable` icons and Apple's to a shape of their own, so those
# fill the square: the stone stays well within the safe circle, and only the lines reach the edge.
set -euo pipefail
cd "$(dirname "$0")/.."
icon=crates/play/src/page/icon.svg site=crates/web/site
full=$(sed 's/ rx="7"//; s/M16 3v26M3 16h26/M16 0v32M0 16h32/' "$icon")
grep -q 'height="32" fill.*M16 0v32M0 16h32' <<<"$full" || { echo "$icon has changed: adapt this script" >&2; exit 1; }
for size in 192 512; do rsvg-convert --width "$size" "$icon" --output "$site/icon-$size.png"; done
rsvg-convert --width 512 --output "$site/icon-maskable.png" <<<"$full"
rsvg-convert --width 180 --output "$site/icon-apple.png" <<<"$full"

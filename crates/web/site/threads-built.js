/** Whether the site has the build with threads; scripts/site.sh fills it in. */
export const THREADS_BUILT = false;

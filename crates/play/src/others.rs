//! Other engines that the user declared at the start of the program. Clients choose among them by name; they cannot
//! name a program.

use std::sync::Arc;
use tengen_engines::client::ProcessPool;
use tengen_engines::spec::EngineSpec;

/// Longest name, in characters.
const LONGEST_NAME: usize = 40;

/// The declared engines.
#[derive(Clone, Debug)]
pub struct OtherEngines {
    specs: Arc<[EngineSpec]>,
    processes: Arc<ProcessPool>,
}

impl OtherEngines {
    /// These engines, whose processes are in this pool.
    ///
    /// # Errors
    /// If a name cannot be shown, or two engines have the same.
    pub fn new(specs: Vec<EngineSpec>, processes: ProcessPool) -> Result<OtherEngines, String> {
        for (i, EngineSpec { name, .. }) in specs.iter().enumerate() {
            if name.is_empty() || name.chars().count() > LONGEST_NAME || name.chars().any(char::is_control) {
                return Err(format!("{name:?}: the name of an engine has 1 to {LONGEST_NAME} characters"));
            }
            if specs[..i].iter().any(|other| other.name == *name) {
                return Err(format!("two engines have the name {name}"));
            }
        }
        Ok(OtherEngines { specs: specs.into(), processes: Arc::new(processes) })
    }

    /// No engines.
    pub fn none() -> OtherEngines {
        OtherEngines { specs: Arc::new([]), processes: Arc::new(ProcessPool::new(String::new(), None)) }
    }

    /// Their names, in the order of declaration.
    pub fn names(&self) -> Vec<String> {
        self.specs.iter().map(|spec| spec.name.clone()).collect()
    }

    /// The engine with this index.
    pub fn spec(&self, index: usize) -> Option<&EngineSpec> {
        self.specs.get(index)
    }

    /// The pool of their processes.
    pub fn processes(&self) -> Arc<ProcessPool> {
        Arc::clone(&self.processes)
    }
}

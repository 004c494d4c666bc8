import PulseTypes

extension Reconciler {
  /// Notes what a batch is about to change, and what is before.
  mutating func record(_ batch: ArraySlice<Step>) {
    for step in batch {
      journal.record(step, in: input.snapshot)
      if !step.isPermanent { intended[step.setting, default: []].append(step.to) }
    }
  }

  /// What must be in the store before the first write: a process that is killed leaves what revert
  /// needs. Nil where the store has it already, as when a mode is restored that was in force.
  var unsaved: Baseline? {
    let stored = stored
    let isThere =
      stored.serverCookie == onDisk.serverCookie
      && intended.allSatisfy { setting, values in
        values.allSatisfy { value in
          onDisk.entries.contains { $0.setting == setting && $0.isOurs(value) }
        }
      } && journal.entries.allSatisfy { onDisk.has($0) }
    return isThere ? nil : stored
  }

  /// Takes the end of a save; a run that restores goes on without one: what is on disk says less than it
  /// might, and going back is worth more.
  package mutating func didSave(_ result: Result<Void, SessionError>) throws(SessionError) {
    switch result {
    case .success: onDisk = stored
    case .failure(let error): guard isRestoring else { throw error }
    }
  }

  /// The baseline of the store with this run's changes, and each value that the run may leave there
  /// if it is cut short: what it was before the run, and what any of the steps sets.
  package var stored: Baseline {
    var result = (isRollback ? former : input.baseline).valid(for: input.snapshot)
    for entry in journal.entries {
      result.record(entry)
      let ours = former.entries.first { $0.isOfSame(entry) }?.ours.map { [$0] } ?? []
      result.expect(ours + intended[entry.setting, default: []], of: entry)
    }
    result.serverCookie = input.snapshot.server.cookie
    return result
  }
}

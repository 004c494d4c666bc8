import PulseTypes

extension Reconciler {
  /// Records what a batch is about to change, and the previous values.
  mutating func record(_ batch: ArraySlice<Step>) {
    var before = PredictedServer(input.snapshot)
    for step in batch {
      // If another program changed one of the session's settings, the consequences are not the
      // session's.
      let isForeign = input.occasion != .asked && former[step.setting] != nil
      journal.record(
        step, in: before.snapshot, beside: input.baseline, withConsequences: !isForeign)
      if !step.isPermanent {
        intended[step.setting, default: []].append(step.to)
      } else if step.setting.isLevel {
        // A later step that removes the device finds this value, which a rollback must bring back.
        before.apply(step.setting, step.to)
      }
    }
  }

  /// The journal with each value that the run may have set: of a batch that failed, some steps ran
  /// and some did not.
  var undoable: Baseline {
    var result = journal
    for entry in journal.entries { result.expect(intended[entry.setting, default: []], of: entry) }
    return result
  }

  /// What must be stored before the first write, so that a killed process leaves what revert needs.
  /// Nil if the store has it already, as when the current mode is applied again.
  var unsaved: Baseline? {
    let isThere =
      input.snapshot.server.cookie == onDisk.serverCookie
      && intended.allSatisfy { setting, values in
        values.allSatisfy { value in
          onDisk.entries.contains { $0.setting == setting && $0.isOurs(value) }
        }
      }
      && journal.entries.allSatisfy { entry in
        // On each port: the session may have set another value on one of them before.
        onDisk.entries.first { $0.isOfSame(entry) }
          .map { intended[entry.setting, default: []].allSatisfy($0.isOurs) } ?? false
      }
    return isThere ? nil : stored
  }

  /// Handles the result of a save. A run that restores continues without a save: the store then has
  /// less information than it could, but restoring is more important.
  package mutating func didSave(_ result: Result<Void, SessionError>) throws(SessionError) {
    switch result {
    case .success: onDisk = stored
    case .failure(let error): guard isRestoring else { throw error }
    }
  }

  /// The stored baseline with this run's changes, and each value that the run may leave if it is
  /// cut short: the one from before the run, and those that its steps set.
  package var stored: Baseline {
    var result = (isRollback ? former : input.baseline).valid(for: input.snapshot)
    for entry in journal.entries {
      result.record(entry)
      // A value that followed from another change, or with which a device returned, is as little the
      // user's as one that was set.
      let ours = former.entries.first { $0.isOfSame(entry) }.map { [$0.ours ?? entry.before] }
      result.expect((ours ?? []) + intended[entry.setting, default: []], of: entry)
    }
    result.serverCookie = input.snapshot.server.cookie
    return result
  }
}

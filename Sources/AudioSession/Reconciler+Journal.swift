import Logging
import PulseTypes
import SessionCore

extension Reconciler {
  /// On disk before the first write: a process that is killed leaves what revert needs. Where the
  /// disk has it already, as when a wish is put back that was in force, nothing is written.
  mutating func writeJournal() throws(SessionError) {
    let stored = stored
    let isThere =
      stored.serverCookie == onDisk.serverCookie
      && intended.allSatisfy { setting, values in
        values.allSatisfy { onDisk[setting]?.isOurs($0) == true }
      } && journal.entries.allSatisfy { onDisk[$0.setting] != nil }
    guard !isThere else { return }
    do throws(SessionError) {
      try store.write(stored)
      onDisk = stored
    } catch {
      guard isRollback else { throw error }
      // What is on disk says less than it might; going back is worth more.
      logger?.debug("journal not written", metadata: ["error": "\(error.message)"])
    }
  }

  /// The baseline of the store with this run's changes, and each value that the run may leave there
  /// if it is cut short: what it was before the run, and what any of the steps sets.
  var stored: Baseline {
    var result = (isRollback ? former : input.baseline).valid(for: input.snapshot)
    for entry in journal.entries {
      result.record(entry.setting, before: entry.before, ours: entry.ours)
      let ours = former[entry.setting]?.ours.map { [$0] } ?? []
      result.expect(ours + intended[entry.setting, default: []], of: entry.setting)
    }
    result.serverCookie = input.snapshot.server.cookie
    return result
  }
}

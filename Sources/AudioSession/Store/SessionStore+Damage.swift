import SessionCore

extension SessionStore {
  /// What is wrong with the files that are not replaced at every change, for people.
  var problems: [String] {
    var result: [String] = []
    do throws(SessionError) { _ = try wish() } catch { result.append(error.message) }
    do throws(SessionError) { _ = try baseline() } catch { result.append(error.message) }
    return result
  }

  /// Gives damaged files another name; only ever called with the lock held.
  ///
  /// - Returns: what was found, and where it is now.
  func setDamageAside() -> [String] {
    let mode = files.setAside(.mode) { (bytes: [UInt8]) -> SessionError? in
      do throws(SessionError) { _ = try parseWish(bytes) } catch { return error }
      return nil
    }
    let baseline = files.setAside(.baseline) { (bytes: [UInt8]) -> SessionError? in
      do throws(SessionError) { _ = try parseBaseline(bytes) } catch { return error }
      return nil
    }
    return [mode, baseline].compactMap { $0 }
  }
}

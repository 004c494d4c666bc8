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
  /// A file that cannot be read at all is not known to be damaged, and stays.
  ///
  /// - Returns: what was found, and where it is now.
  func setDamageAside() -> [String] {
    guard !isInMemory else { return [] }
    var result: [String] = []
    for path in [wishPath, baselinePath] {
      guard let bytes = (try? Files.read(path)) ?? nil else { continue }
      do throws(SessionError) {
        _ = try path == wishPath ? parseWish(bytes) as Any : parseBaseline(bytes) as Any
      } catch {
        let aside = path + ".damaged"
        do throws(SessionError) {
          try Files.rename(path, to: aside)
          result.append(error.message + "; it is now \(aside)")
        } catch let failure {
          result.append(error.message + "; \(failure.message)")
        }
      }
    }
    return result
  }
}

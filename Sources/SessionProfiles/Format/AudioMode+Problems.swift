import SessionCore

extension AudioMode {
  /// Every problem of the wish, each with the property that it is about.
  ///
  /// The core ends at the first; here that property is taken out and the rest is asked again.
  /// Properties that a file sets to something wrong are assumed to be there.
  func problems(
    assuming failed: Set<Property> = []
  ) -> [(error: SessionError, property: Property?)] {
    var rest = self
    var problems: [(SessionError, Property?)] = []
    while let error = rest.problem {
      guard let property = error.property.flatMap(Property.init) else {
        problems.append((error, nil))
        break
      }
      let hasInput = preferredInput != nil || failed.contains(.preferredInput)
      let hasPort = inputPort != nil || failed.contains(.inputPort)
      if error.code != .missingDataSourceName || !(hasInput && hasPort) {
        problems.append((error, property))
      }
      property.row.clear(&rest)
    }
    return problems
  }

  private var problem: SessionError? {
    do {
      try validate()
      return nil
    } catch {
      return error
    }
  }
}

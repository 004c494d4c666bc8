import SessionCore

extension AudioMode {
  /// Every problem of the mode, each with its property.
  ///
  /// The core stops at the first problem; this removes that property and validates the rest again.
  /// Properties with an invalid value in the file count as set.
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
      let isExcused =
        error.code == .missingDataSourceName
        ? hasInput && hasPort : property == .options && failed.contains(.category)
      if !isExcused { problems.append((error, property)) }
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

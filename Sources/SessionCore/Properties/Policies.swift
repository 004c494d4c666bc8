/// How a mode is applied and maintained: properties that are not in the state.
extension PropertyRow {
  static let strict = PropertyRow(.strict, { $1(&$0.strict) }, "strict", Notation.words())

  static let reapply = PropertyRow(
    .reapply, { $1(&$0.reapply) }, "reapply", .word(),
    meaning: "When it is reapplied: always, on-route-change, never.")

  static let onFailure = PropertyRow(
    .onFailure, { $1(&$0.onFailure) }, "on-failure", .word(),
    meaning: "What one failed step does to the others: rollback, best-effort.")

  static let scope = PropertyRow(
    .scope, { $1(&$0.scope) }, "scope", .word(),
    check: { (scope, property, mode) throws(SessionError) in
      guard scope == .application, mode.category == .multiRoute else { return }
      throw Check.failure(
        property, scope.rawValue,
        "scope \"application\" cannot combine outputs, because all programs share them; "
          + "category \"multi-route\" needs scope \"server\"")
    })
}

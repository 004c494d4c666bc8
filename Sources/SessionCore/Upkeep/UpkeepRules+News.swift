extension UpkeepRules {
  /// What a snapshot does not show, because it is over: a look that fails leaves it for the next one.
  package struct News: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Devices have come or gone.
    package static let otherDevices = News(rawValue: 1)
    /// An interruption has ended, and its end was not reported.
    package static let interruptionEnd = News(rawValue: 2)
    /// The server has restarted, or another session had it, and the mode was not applied since.
    package static let reset = News(rawValue: 4)
  }

  /// What a look does once the server was read.
  package enum Work<Mode> {
    case reapply(Mode, Occasion)
    /// Silence or lower the streams that other programs have begun since.
    case treatOthers(Mode)
    case restore(keeping: Mode?)
    case restoreReturned
  }
}

extension ReapplyPolicy {
  /// Whether a look may apply the mode again: with `on-route-change`, a default that changes without a
  /// change of devices counts as a user's choice.
  func allows(_ news: UpkeepRules.News) -> Bool {
    switch self {
    case .always: true
    case .onRouteChange: !news.isEmpty
    // A session that another process had taken over applies its mode whatever has changed meanwhile.
    case .never: news.contains(.reset)
    }
  }
}

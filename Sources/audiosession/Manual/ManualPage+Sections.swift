extension ManualPage {
  /// The sections that no single command has.
  static let sections: [(title: String, entries: [(name: String, text: String)])] = [
    ("EXIT STATUS", exitCodes.map { ("\($0.0)", $0.1) }),
    (
      "FILES",
      [
        (
          "~/.config/audiosession/profiles/NAME.toml",
          "Profiles; also below each of $XDG_CONFIG_DIRS and in /usr/share. NAME.toml.d/ changes one."
        ),
        (
          "~/.config/audiosession/hooks/OCCASION.d/",
          "Programs that run when something happens; also below each of $XDG_CONFIG_DIRS."
        ),
        (
          "~/.local/state/audiosession/",
          "The applied mode, its state, and the settings from before; for each server."
        ),
      ]
    ),
    (
      "ENVIRONMENT",
      [
        ("PULSE_SERVER, PULSE_COOKIE", "The server, without --server, and the key to it."),
        ("XDG_CONFIG_HOME, XDG_CONFIG_DIRS, XDG_STATE_HOME", "Where the files are."),
        ("TMPDIR", "Where sandboxes and the texts of 'profiles edit' are."),
        ("NO_COLOR", "No colours."), ("EDITOR, VISUAL", "The editor of 'profiles edit'."),
      ]
    ),
  ]

  private static let exitCodes: [(Int, String)] = [
    (0, "Done; unmet hints are a warning."),
    (3, "Done, but some preferences are unmet; with --best-effort, hints do not count."),
    (64, "Wrong usage."), (65, "A bad profile, trace or sound file."),
    (66, "No such profile, trace or sound file."), (69, "No server."),
    (70, "A bug."), (71, "The server refused or failed an operation."),
    (74, "A file cannot be written."), (75, "Timed out."),
    (76, "Another process holds the session."), (77, "Access denied."),
    (78, "This machine cannot meet the profile; nothing was changed, or everything was restored."),
    (129, "Ended by SIGHUP."), (130, "Ended by SIGINT."), (143, "Ended by SIGTERM."),
  ]
}

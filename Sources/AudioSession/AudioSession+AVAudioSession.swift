public import PulseTypes
public import SessionCore

// What a developer who knows AVAudioSession types first. Each message has what to type instead.
extension AudioSession {
  /// A name of AVAudioSession; the message has what to use here.
  @available(*, unavailable, renamed: "shared")
  public static func sharedInstance() -> AudioSession { .shared }

  /// A name of AVAudioSession; the message has what to use here.
  @available(*, unavailable, message: "call setAudioMode(AudioMode(category: …)) instead")
  public func setCategory(_ category: Category) {}

  /// A name of AVAudioSession; the message has what to use here.
  @available(
    *, unavailable,
    message: "call setAudioMode(AudioMode(category: …, mode: …, options: …)) instead"
  )
  public func setCategory(
    _ category: Category, mode: Mode = .default, options: Set<CategoryOption> = []
  ) {}

  /// A name of AVAudioSession; the message has what to use here.
  @available(*, unavailable, message: "call update { $0.mode = … } instead")
  public func setMode(_ mode: Mode) {}

  /// A name of AVAudioSession; the message has what to use here.
  @available(*, unavailable, message: "call update { $0.sampleRate = … } instead")
  public func setPreferredSampleRate(_ rate: Double) {}

  /// A name of AVAudioSession; the message has what to use here.
  @available(
    *, unavailable, message: "call update { $0.ioBufferDuration = .milliseconds(…) } instead"
  )
  public func setPreferredIOBufferDuration(_ seconds: Double) {}

  /// A name of AVAudioSession; the message has what to use here.
  @available(*, unavailable, message: "call update { $0.preferredInput = [.name(…)] } instead")
  public func setPreferredInput(_ input: Device?) {}

  /// A name of AVAudioSession; the message has what to use here.
  @available(*, unavailable, message: "call update { $0.inputGain = Volume(fraction: …) } instead")
  public func setInputGain(_ gain: Float) {}

  /// A name of AVAudioSession; the message has what to use here.
  @available(*, unavailable, message: "call update { $0.inputPort = [.name(…)] } instead")
  public func setInputDataSource(_ port: DevicePort?) {}

  /// A name of AVAudioSession; the message has what to use here.
  @available(*, unavailable, message: "call update { $0.inputOrientation = … } instead")
  public func setPreferredInputOrientation(_ orientation: Orientation) {}

  /// A name of AVAudioSession; the message has what to use here.
  @available(*, unavailable, renamed: "overrideOutputPort(_:)")
  public func overrideOutputAudioPort(_ port: PortOverride) {}

  /// A name of AVAudioSession; the message has what to use here.
  @available(*, unavailable, message: "use the ports of the device: availableInputs.first?.ports")
  public var inputDataSources: [DevicePort] { [] }

  /// A name of AVAudioSession; the message has what to use here.
  @available(*, unavailable, message: "a program may record without a question to the user")
  public func requestRecordPermission(_ response: (Bool) -> Void) {}
}

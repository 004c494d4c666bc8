/// The library for sound files, which may have been missing when this was built.
public enum SoundLibrary {
  /// Whether sound files can be read and written.
  public static var isAvailable: Bool {
    #if SNDFILE
      true
    #else
      false
    #endif
  }

  static var missing: StreamError {
    StreamError(
      .missingPackage,
      "this build cannot read or write sound files: install libsndfile1-dev, remove "
        + "~/.cache/org.swift.swiftpm/manifests, and build again")
  }
}

/// What the program and ArgumentParser use of the module `_StringProcessing`, which every file imports
/// without saying so. With it come regular expressions, which nothing here uses, and their conformances.

extension Collection where Element: Equatable {
  @_specialize(where Self == String, Other == String)
  @_specialize(where Self == Substring, Other == String)
  public func firstRange<Other: Collection>(of other: Other) -> Range<Index>?
  where Other.Element == Element {
    var start = startIndex
    while true {
      var (end, wanted) = (start, other.startIndex)
      while wanted < other.endIndex, end < endIndex, self[end] == other[wanted] {
        formIndex(after: &end)
        other.formIndex(after: &wanted)
      }
      if wanted == other.endIndex { return start..<end }
      guard end < endIndex else { return nil }
      formIndex(after: &start)
    }
  }

  @_disfavoredOverload
  public func contains<Other: Collection>(_ other: Other) -> Bool where Other.Element == Element {
    firstRange(of: other) != nil
  }

  @_disfavoredOverload
  public func split<Separator: Collection>(
    separator: Separator, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
  ) -> [SubSequence] where Separator.Element == Element {
    precondition(!separator.isEmpty)
    var (result, rest) = ([SubSequence](), self[...])
    func append(_ part: SubSequence) {
      if !part.isEmpty || !omittingEmptySubsequences { result.append(part) }
    }
    while result.count < maxSplits, let range = rest.firstRange(of: separator) {
      append(rest[..<range.lowerBound])
      rest = rest[range.upperBound...]
    }
    append(rest)
    return result
  }
}

extension RangeReplaceableCollection where Element: Equatable {
  public func replacing<Other: Collection, Replacement: Collection>(
    _ other: Other, with replacement: Replacement, maxReplacements: Int = .max
  ) -> Self where Other.Element == Element, Replacement.Element == Element {
    precondition(!other.isEmpty)
    var (result, rest) = (Self(), self[...])
    var count = 0
    while count < maxReplacements, let range = rest.firstRange(of: other) {
      result.append(contentsOf: rest[..<range.lowerBound])
      result.append(contentsOf: replacement)
      rest = rest[range.upperBound...]
      count += 1
    }
    result.append(contentsOf: rest)
    return result
  }
}

import PulseTypes

/// Every aspect, in the order of the properties.
let allAspects = Property.rows.compactMap(\.aspect)

/// Whether a mode sets the property of each of them.
let aspectIsSet = Property.rows.filter { $0.aspect != nil }.map(\.isSet)

/// The planned parts of each phase in their order: first the links of the chains as in
/// `Setting.links`, then what uses the ends of the chains.
let plannedAspects: [Phase: [any Planned]] = {
  let links: [any Planned] = [
    CombinedOutputs(), ChannelMapAspect(direction: .output), ModeAspect(),
    ChannelMapAspect(direction: .input),
  ]
  // One by one: as a whole, an array is cast by a search through all conformances for each element.
  let others = allAspects.filter { !($0 is ChannelMapAspect || $0 is ModeAspect) }
    .map { $0 as any Planned }
  let all =
    links + Direction.allCases.map { TakingCharge(direction: $0) }
    + Direction.allCases.map { ChainEnd(direction: $0) } + others
  return Dictionary(grouping: all, by: \.phase)
}()

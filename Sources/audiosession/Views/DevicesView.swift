import AudioSession
import PulseTypes

/// Inputs, outputs and cards for users.
enum DevicesView {
  static func lines(_ list: DeviceList, width: Int?) -> [Line] {
    section("inputs", list.inputs.map { lines($0, width) })
      + [.empty] + section("outputs", list.outputs.map { lines($0, width) })
      + (list.cards.isEmpty ? [] : [.empty] + section("cards", list.cards.map { lines($0, width) }))
  }

  private static func section(_ title: String, _ items: [[Line]]) -> [Line] {
    [Line(title, .bold)] + (items.isEmpty ? [Line("  none")] : items.flatMap { $0 })
  }

  private static func lines(_ item: DeviceItem, _ width: Int?) -> [Line] {
    let device = item.device
    let mark = Span(item.isDefault ? "* " : "  ", .green)
    let spec = "\(device.sampleSpec.rate) Hz, \(device.channelMap.readable)"
    var facts = [spec]
    if device.direction == .input, item.kind == .hardware {
      facts.append("patterns: " + device.polarPatterns.map(\.rawValue).joined(separator: ", "))
    }
    let lines =
      Layout.wrap(title(item), after: mark, width: width, style: item.isDefault ? .green : .plain)
      + (item.device.description.isEmpty ? [] : name(device.name, width))
    return lines + facts.flatMap { Layout.wrap($0, indent: 4, width: width) }
      + ports(item.ports, width)
  }

  /// What people call it.
  private static func title(_ item: DeviceItem) -> String {
    switch item.kind {
    case .hardware: item.device.title
    case .own: item.device.title + " (of the session)"
    case .monitor: item.device.title + " (monitor)"
    }
  }

  /// The server's name, which a profile may give.
  private static func name(_ name: String, _ width: Int?) -> [Line] {
    Layout.wrap(name, indent: 4, width: width, style: .dim)
  }

  private static func ports(_ ports: [PortItem], _ width: Int?) -> [Line] {
    let rows = ports.map { item -> [Span] in
      let isActive = item.isActive == true
      return [
        Span((isActive ? "* " : "  ") + item.port.name, isActive ? .green : .plain),
        Span(item.type?.rawValue ?? "no type reported by the server"),
        availability(item.port.availability),
      ]
    }
    let wide = Layout.columns(rows, indent: 4)
    guard let width, wide.contains(where: { $0.width > width }) else { return wide }
    return rows.flatMap { row -> [Line] in
      Layout.wrap(
        String(row[0].text.dropFirst(2)), after: Span("    " + row[0].text.prefix(2), row[0].style),
        width: width, style: row[0].style)
        + Layout.wrap("\(row[1].text), \(row[2].text)", indent: 8, width: width)
    }
  }

  private static func lines(_ item: CardItem, _ width: Int?) -> [Line] {
    let lines = Layout.wrap(item.description, indent: 2, width: width) + name(item.card.name, width)
    let profiles = item.card.profiles.flatMap { profile -> [Line] in
      let isActive = profile.name == item.card.activeProfile
      let style: Style = isActive ? .green : .plain
      let lines = Layout.wrap(
        profile.name, after: Span(isActive ? "    * " : "      ", style), width: width, style: style
      )
      guard !profile.isAvailable else { return lines }
      let isShort = lines.count == 1 && width.map { lines[0].width + 15 <= $0 } ?? true
      return isShort
        ? [Line(lines[0].spans + [Span("  not available", .dim)])]
        : lines + [["        ", Span("not available", .dim)]]
    }
    let codecs = (item.card.codecs ?? []).map {
      $0.name == item.card.activeCodec ? "\($0.name) (in use)" : $0.name
    }
    let offer = codecs.isEmpty ? "" : "codecs: " + codecs.joined(separator: ", ")
    return lines + profiles
      + (offer.isEmpty ? [] : Layout.wrap(offer, indent: 4, width: width))
  }

  private static func availability(_ availability: PortAvailability) -> Span {
    switch availability {
    case .yes: Span("plugged in", .green)
    case .no: Span("not plugged in", .dim)
    case .unknown: Span("available")
    }
  }
}

extension ChannelMap {
  /// `front-left front-right`, as in state and devices.
  var readable: String { positions.map(\.rawValue).joined(separator: " ") }
}

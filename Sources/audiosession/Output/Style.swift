/// How a piece of a line looks on a terminal with colours.
///
/// The colours are those of the palette of 256 that can be read on white and on black: a contrast of
/// at least 3.9 to each. The eight basic ones cannot: yellow on white has 1.7.
enum Style: String, Sendable {
  case plain = ""
  case bold = "1"
  case dim = "2"
  case red = "38;5;196"
  case green = "38;5;28"
  case amber = "38;5;130"
}

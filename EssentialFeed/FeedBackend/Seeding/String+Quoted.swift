extension String {
    /// The text as it stands in an error: its beginning only, and something to see where there is nothing.
    var quoted: String { isEmpty ? "empty" : String(prefix(64)) }
}

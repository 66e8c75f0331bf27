/// The argument of a directive: a token or an equivalent quoted string (RFC 9111, section 5.2).
enum DirectiveArgument: Hashable {
    case none
    case invalid
    case value(ArraySlice<UInt8>)

    var text: ArraySlice<UInt8>? {
        if case .value(let text) = self { text } else { nil }
    }

    var seconds: Int? {
        text.flatMap { DeltaSeconds.parse($0) }
    }
}

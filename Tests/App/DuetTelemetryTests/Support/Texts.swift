import InMemoryTracing
import Tracing

/// The attributes of a span as a reader would see them.
func texts(_ span: FinishedInMemorySpan) -> [String: String] {
    var texts: [String: String] = [:]
    span.attributes.forEach { name, attribute in
        texts[name] =
            switch attribute {
            case .string(let text): text
            case .int64(let number): "\(number)"
            default: "\(attribute)"
            }
    }
    return texts
}

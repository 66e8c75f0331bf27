import DuetHTTP
import RawStructuredFieldValues

extension CacheStatus {
    /// Reads the last member of a line of `Cache-Status` (RFC 9211, section 2).
    ///
    /// Nil for a line that cannot be read; what is unknown in a member, or of another type, is left out.
    init?(lastOf line: String) {
        guard let member = FieldList.members(of: line).last else { return nil }
        var parser = StructuredFieldValueParser(Array(member))
        guard let item = try? parser.parseItemFieldValue() else { return nil }
        switch item.rfc9651BareItem {
        case .string(let name), .token(let name): self.init(cache: name)
        default: return nil
        }
        for (name, value) in item.rfc9651Parameters {
            switch (name, value) {
            case ("hit", .bool(let flag)): hit = flag
            case ("stored", .bool(let flag)): stored = flag
            case ("collapsed", .bool(let flag)): collapsed = flag
            case ("fwd", .token(let reason)): forward = ForwardReason(rawValue: reason)
            case ("fwd-status", .integer(let status)): forwardStatus = Int(exactly: status)
            case ("ttl", .integer(let seconds)): ttl = Int(exactly: seconds)
            case ("key", .string(let text)): key = text
            case ("detail", .string(let text)), ("detail", .token(let text)): detail = text
            default: break
            }
        }
    }
}

import Foundation

/// A property that a message must send because a protocol it conforms to requires it.
struct ProtocolRequirement<Message: HTTPMessage>: Sendable {
    let key: String

    let hasValue: @Sendable (Message) -> Bool

    /// All requirements of a type; determined once, since a cast costs more than encoding a property.
    static func all(of type: Message.Type) -> [Self] {
        var requirements: [Self] = []
        func add<Value>(_ key: String, _ value: @escaping @Sendable (Message) -> Value?) {
            requirements.append(
                Self(key: key) { value($0).map { !(($0 as? any OptionalValue)?.isNil ?? false) } ?? false }
            )
        }
        if type is any IDCommand.Type { add("id") { ($0 as? any IDCommand)?.id as Any? } }
        if type is any IDQuery.Type { add("id") { ($0 as? any IDQuery)?.id as Any? } }
        if type is any Filterable.Type { add("filter") { ($0 as? any Filterable)?.filter as Any? } }
        if type is any Orderable.Type { add("order") { ($0 as? any Orderable)?.order as Any? } }
        if type is any Pageable.Type { add("page") { ($0 as? any Pageable)?.page as Any? } }
        if type is any Searchable.Type { add("searchText") { ($0 as? any Searchable)?.searchText } }
        return requirements
    }

    /// The body of a ``BodyCommand`` and the coding key of the property that it is read into.
    static func body(
        of type: Message.Type
    ) -> (key: String, bytes: @Sendable (Message, JSONCoder) throws -> HTTPBytes)? {
        func body<C: BodyCommand>(_ type: C.Type) -> (String, @Sendable (Message, JSONCoder) throws -> HTTPBytes) {
            let bytes: @Sendable (Message, JSONCoder) throws -> HTTPBytes = { message, json in
                guard let message = message as? C else { return HTTPBytes(Data(), mediaType: "") }
                if let bytes = message.body as? HTTPBytes { return bytes }
                return HTTPBytes(try json.encode(message.body), mediaType: "application/json")
            }
            return (C.route.bodyProperty, bytes)
        }
        return (type as? any BodyCommand.Type).map { body($0) }
    }
}

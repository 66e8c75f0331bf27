import Foundation

/// Collects what a message has for the path and the query.
final class ParameterWriter {
    /// Servers bound a request's head, so a query that one of them could not read is not sent.
    static let limit = (parameters: 1_000, bytes: 65_536)

    let layout: MessageLayout
    private var segments: [String?]
    private var query: [UInt8] = []
    private var names: [(name: String, parent: String)] = []

    /// How many values have been written.
    private(set) var count = 0

    /// The coding keys of the message that were written.
    private(set) var keys: [String] = []

    /// The parameter that was written as a list last, perhaps an empty one.
    private var list: String?

    /// What was refused where nothing can be thrown.
    private var refusal: HTTPMessageError?

    init(_ layout: MessageLayout) {
        self.layout = layout
        segments = Array(repeating: nil, count: layout.template.placeholders.count)
        keys.reserveCapacity(16)
        guard layout.content != .object else { return }
        // What most messages need, at once.
        query.reserveCapacity(256)
        names.reserveCapacity(16)
    }

    /// Path and query; to be asked when everything has been written.
    func finish() throws -> String {
        if let refusal { throw refusal }
        guard count <= Self.limit.parameters, query.count <= Self.limit.bytes else {
            let reason =
                "has more than \(Self.limit.parameters) parameters or \(Self.limit.bytes) bytes; send less at a time"
            throw unsendable("the query", reason)
        }
        var path: [UInt8] = []
        path.reserveCapacity(layout.template.text.utf8.count + query.count + 64)
        var values = zip(layout.template.placeholders, segments).makeIterator()
        for segment in layout.template.segments {
            if !path.isEmpty { path.append(UInt8(ascii: "/")) }
            switch segment {
            case .literal(let text): path.append(contentsOf: text.utf8)
            case .placeholder:
                guard let (name, value) = values.next() else { continue }
                guard let value else {
                    throw unsendable(name, "was not encoded, but the path needs it; give it a value")
                }
                PercentEncoding.append(value, to: &path)
            }
        }
        if !query.isEmpty {
            path.append(UInt8(ascii: "?"))
            path.append(contentsOf: query)
        }
        return String(decoding: path, as: UTF8.self)
    }

    /// Where a property of the message goes, of which it takes note.
    func place(of key: String) -> ParameterPlace {
        keys.append(key)
        return layout.place(of: key)
    }

    func unsendable(_ property: String, _ reason: String) -> HTTPMessageError {
        .unsendable(message: layout.message, property: property, reason: reason)
    }

    /// Takes note of a refusal, for what cannot throw.
    func refuse(_ place: ParameterPlace, _ reason: String) {
        refusal = refusal ?? unsendable(place.name, reason)
    }

    func write<Value: ParameterScalar>(scalar value: Value, at place: ParameterPlace, in parent: ParameterPlace) throws
    {
        guard let text = value.parameterText(layout.dates) else {
            let range = Value.self == Date.self ? ", in the years 0000 to 9999" : ""
            throw unsendable(place.name, "must be \(Value.form(insteadOf: ""))\(range)")
        }
        try write(text: text, at: place, in: parent)
    }

    func write<Value: Encodable>(_ value: Value, at place: ParameterPlace, in parent: ParameterPlace) throws {
        if place == .body { return }
        if let scalar = value as? any ParameterScalar { return try write(scalar: scalar, at: place, in: parent) }
        if let optional = value as? any OptionalValue {
            if !optional.isNil { try writePresent(value, at: place, in: parent) }
            return
        }
        try value.encode(
            to: ParameterEncoder(writer: self, place: place, parent: parent, type: Value.self)
        )
    }

    /// Writes the value of an optional so that it can be told from nil, whatever is in it.
    func writePresent<Value: Encodable>(_ value: Value, at place: ParameterPlace, in parent: ParameterPlace) throws {
        if place == .body { return }
        if let scalar = value as? any ParameterScalar { return try write(scalar: scalar, at: place, in: parent) }
        let before = count
        try value.encode(
            to: ParameterEncoder(writer: self, place: place, parent: parent, type: Value.self)
        )
        guard case .query(let name) = place else { return }
        guard !names.contains(where: { $0 == (name, name) }) else {
            throw unsendable(
                name,
                "has a property of its own name, so that it could not be told from nil; set parameterNames"
            )
        }
        guard count == before else { return }
        let marker = list == name ? name + "[]" : name
        try claim(marker, in: parent)
        append(marker, "")
    }

    /// Begins a list under a name.
    func beginList(_ name: String, in parent: ParameterPlace) {
        list = name
        do {
            try claim(name, in: parent)
        } catch {
            refusal = refusal ?? error
        }
    }

    private func write(text: String, at place: ParameterPlace, in parent: ParameterPlace) throws {
        switch place {
        case .path(let name):
            guard !text.isEmpty, text != ".", text != ".." else {
                throw unsendable(
                    name,
                    "is “\(text)”, which is lost in a path; give it another value or move it into the query"
                )
            }
            guard let index = layout.template.placeholders.firstIndex(of: name) else { return }
            segments[index] = text
        case .query(let name):
            try claim(name, in: parent)
            append(name, text)
        case .element(let name, _):
            append(name, text)
        case .message:
            throw unsendable("it", "is a single value; encode it as properties with names")
        case .body: break
        }
    }

    private func append(_ name: String, _ text: String) {
        count += 1
        // Beyond the limit it is refused anyway, and need not fill the memory before.
        guard query.count <= Self.limit.bytes else { return }
        Self.append(name, text, to: &query)
    }

    private static func append(_ name: String, _ text: String, to query: inout [UInt8]) {
        if !query.isEmpty { query.append(UInt8(ascii: "&")) }
        PercentEncoding.append(name, to: &query)
        query.append(UInt8(ascii: "="))
        PercentEncoding.append(text, to: &query)
    }

    /// Sees to it that each name belongs to one property.
    private func claim(_ name: String, in parent: ParameterPlace) throws(HTTPMessageError) {
        if let other = names.first(where: { $0.name == name }) {
            let reason =
                "of \(parent.name) comes out under the same name as that of \(other.parent); set parameterNames"
            throw unsendable(name, reason)
        }
        names.append((name, parent.name))
    }
}

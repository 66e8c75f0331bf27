import Foundation

/// Collects the path and the query of a message.
final class ParameterWriter {
    let layout: MessageLayout
    private var segments: [String?]
    private(set) var query = QueryText()

    /// The coding keys of the message that were written, if ``remembersKeys`` is set.
    private(set) var keys: [String] = []

    /// The parameter that was last written as a list, which may be empty.
    private var list: String?

    /// The first error of a method that cannot throw.
    private var refusal: HTTPMessageError?

    /// Whether ``keys`` is needed.
    private let remembersKeys: Bool

    init(_ layout: MessageLayout, remembersKeys: Bool) {
        self.layout = layout
        self.remembersKeys = remembersKeys
        segments = Array(repeating: nil, count: layout.template.placeholders.count)
        if remembersKeys { keys.reserveCapacity(16) }
        if layout.content != .object { query.reserveCapacity() }
    }

    /// The path and the query, once everything has been written.
    func finish() throws -> String {
        if let refusal { throw refusal }
        guard !query.isTooLarge else {
            let limit = QueryText.limit
            let reason = "has more than \(limit.parameters) parameters or \(limit.bytes) bytes; send less at a time"
            throw unsendable(layout.content == .form ? "the form" : "the query", reason)
        }
        var path: [UInt8] = []
        path.reserveCapacity(layout.template.text.utf8.count + query.bytes.count + 64)
        var values = zip(layout.template.placeholders, segments).makeIterator()
        for segment in layout.template.segments {
            if !path.isEmpty { path.append(UInt8(ascii: "/")) }
            let start = path.count
            path.append(contentsOf: segment.literals[0].utf8)
            for literal in segment.literals.dropFirst() {
                guard let (name, value) = values.next() else { continue }
                guard let value else {
                    throw unsendable(name, "was not encoded, but the path needs it; give it a value")
                }
                PercentEncoding.append(value, inPath: true, to: &path)
                path.append(contentsOf: literal.utf8)
            }
            if segment.names.count > 1 { try check(String(decoding: path[start...], as: UTF8.self), segment) }
        }
        if !query.bytes.isEmpty, layout.content != .form {
            path.append(UInt8(ascii: "?"))
            path.append(contentsOf: query.bytes)
        }
        return String(decoding: path, as: UTF8.self)
    }

    /// Checks that the values of a segment are read back from it.
    private func check(_ text: String, _ segment: PathTemplate.Segment) throws(HTTPMessageError) {
        let names = layout.template.placeholders
        let sent = segment.names.compactMap { name in names.firstIndex(of: name).flatMap { segments[$0] } }
        guard segment.values(in: text[...]) != sent else { return }
        throw unsendable(
            segment.names.joined(separator: " and "),
            "would be read back as other values from “\(text)”; what separates them must not be a part of the first one"
        )
    }

    /// The place of a property of the message.
    ///
    /// Records its key.
    func place(of key: String) -> ParameterPlace {
        if remembersKeys { keys.append(key) }
        return layout.place(of: key)
    }

    func unsendable(_ property: String, _ reason: String) -> HTTPMessageError {
        .unsendable(message: layout.message, property: property, reason: reason)
    }

    /// Records an error for methods that cannot throw.
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
        if case .body = place { return }
        if let scalar = value as? any ParameterScalar { return try write(scalar: scalar, at: place, in: parent) }
        if let optional = value as? any OptionalValue {
            if !optional.isNil { try writePresent(value, at: place, in: parent) }
            return
        }
        try value.encode(
            to: ParameterEncoder(writer: self, place: place, parent: parent, type: Value.self)
        )
    }

    /// Writes the value of an optional so that even an empty value is distinguishable from nil.
    func writePresent<Value: Encodable>(_ value: Value, at place: ParameterPlace, in parent: ParameterPlace) throws {
        if case .body = place { return }
        if let scalar = value as? any ParameterScalar { return try write(scalar: scalar, at: place, in: parent) }
        let before = query.count
        try value.encode(
            to: ParameterEncoder(writer: self, place: place, parent: parent, type: Value.self)
        )
        guard case .query(let name) = place else { return }
        guard layout.selfMarking.contains(name) || !query.isClaimed(name, for: name) else {
            let reason = """
                has an optional property with its own name and could not be distinguished from nil; rename one of them
                """
            throw unsendable(name, reason)
        }
        // No other server knows the marker, and some treat it as a condition.
        guard query.count == before, layout.marksEmptyValues else { return }
        let marker = list == name ? name + "[]" : name
        try claim(marker, in: parent)
        query.append(marker, "")
    }

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
            query.append(name, text)
        case .element(let name, _):
            query.append(name, text)
        case .message:
            throw unsendable("it", "is a single value; encode it as properties with names")
        case .body: break
        }
    }

    /// Reserves a name for one property.
    private func claim(_ name: String, in parent: ParameterPlace) throws(HTTPMessageError) {
        guard let other = query.claim(name, for: parent.name) else { return }
        let reason = "of \(parent.name) comes out under the same name as that of \(other); set parameterNames"
        throw unsendable(name, reason)
    }
}

/// The query of a URL while it is written.
///
/// As a struct it is checked for exclusive access once for each step and not for each property.
struct QueryText {
    /// Servers bound the size of a request's head, so a query that is too large for them is not sent.
    static let limit = (parameters: 1_000, bytes: 131_072)

    private(set) var bytes: [UInt8] = []

    private(set) var count = 0

    private var owners: [(name: String, owner: String)] = []

    var isTooLarge: Bool { count > Self.limit.parameters || bytes.count > Self.limit.bytes }

    /// Reserves the memory that most messages need.
    mutating func reserveCapacity() {
        bytes.reserveCapacity(256)
        owners.reserveCapacity(16)
    }

    mutating func append(_ name: String, _ text: String) {
        count += 1
        // A query beyond the limit is refused, so its remainder is not kept.
        guard bytes.count <= Self.limit.bytes else { return }
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
        PercentEncoding.append(name, to: &bytes)
        bytes.append(UInt8(ascii: "="))
        PercentEncoding.append(text, to: &bytes)
    }

    /// Records that a name belongs to a property of `owner`.
    ///
    /// Returns the previous owner, if there is one.
    mutating func claim(_ name: String, for owner: String) -> String? {
        if let other = owners.first(where: { $0.name == name }) { return other.owner }
        owners.append((name, owner))
        return nil
    }

    func isClaimed(_ name: String, for owner: String) -> Bool {
        owners.contains { $0 == (name, owner) }
    }
}

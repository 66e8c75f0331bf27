import DuetContext
import Foundation

/// The path, query and body of a request, from which a message is read.
final class ParameterReader {
    let layout: MessageLayout
    private let request: MessageParts
    /// A value is nil if it is not UTF-8, which is no fault of a parameter that nobody declares.
    private let parameters: [(name: String, value: String?)]
    private let hasBrackets: Bool

    /// Reads the body of a message whose body is one property.
    private let json: JSONCoder

    /// The names of the properties; recursive while the place of a fault is searched.
    private(set) lazy var names = layout.names

    private(set) var found = 0

    init(_ request: MessageParts, _ layout: MessageLayout, _ json: JSONCoder) throws {
        self.layout = layout
        self.request = request
        self.json = json
        parameters = try Self.parse(request.query ?? "", layout.content == .form ? "form" : "query")
        hasBrackets = parameters.contains { $0.name.utf8.contains(UInt8(ascii: "[")) }
    }

    /// The parameters of a query, in which `+` is a space, as browsers and most libraries write it.
    private static func parse(_ query: String, _ name: String) throws -> [(name: String, value: String?)] {
        guard !query.isEmpty else { return [] }
        let limit = QueryText.limit
        guard query.utf8.count <= limit.bytes else {
            throw invalid(name, "must not have more than \(limit.bytes) bytes")
        }
        let parts = query.utf8.split(separator: UInt8(ascii: "&"), maxSplits: limit.parameters)
        guard parts.count <= limit.parameters else {
            throw invalid(name, "must not have more than \(limit.parameters) parameters")
        }
        var parameters: [(name: String, value: String?)] = []
        parameters.reserveCapacity(parts.count)
        for part in parts {
            let end = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            guard let key = PercentEncoding.decode(Substring(part[..<end]), isForm: true) else { continue }
            let value = PercentEncoding.decode(Substring(part[end...].dropFirst()), isForm: true)
            guard !ForeignText.hasLongRun(key.utf8), value.map({ ForeignText.hasLongRun($0.utf8) }) != true else {
                throw invalid(name, ForeignText.markReason)
            }
            parameters.append((key, value))
        }
        return parameters
    }

    static func invalid(_ field: String, _ reason: String) -> HTTPMessageError {
        .invalid(field: field, reason: reason)
    }

    /// From now on, errors contain the path to an invalid number.
    func locate() {
        names = KeyNames(layout.names.keys, own: layout.names.own, isRecursive: true)
    }

    // MARK: Values

    /// All values of a list, whose parameters may be written with empty brackets.
    ///
    /// - Throws: ``HTTPMessageError/invalid(field:reason:)`` for other brackets.
    func values(_ name: String) throws -> [String] {
        let list = name + "[]"
        try checkBrackets(name, except: list, form: "\(name)=… or \(list)=…, once for each value")
        let values = parameters.filter { $0.name == name || $0.name == list }
        // Alone and empty, it marks an empty list.
        guard !(values.count == 1 && values[0] == (list, "")) else { return [] }
        found += values.isEmpty ? 0 : 1
        return try values.map { try text(of: $0) }
    }

    /// Checks that no parameter has the name with brackets behind it, whose meaning differs between frameworks.
    ///
    /// - Parameter list: The only parameter with brackets that has a meaning.
    func checkBrackets(_ name: String, except list: String? = nil, form: @autoclosure () -> String) throws {
        guard let other = bracketed(name, except: list) else { return }
        found += 1
        throw Self.invalid(name, "must be written as \(form()), not as \(other.quoted)")
    }

    /// A parameter that has a name with brackets behind it, unless that is itself a declared name.
    private func bracketed(_ name: String, except list: String? = nil) -> String? {
        guard hasBrackets else { return nil }
        // Where a declared name has brackets, others are other names; a list would lose elements.
        let declared = layout.names.own.values
        if list == nil, declared.contains(where: { $0.hasBrackets(behind: name) }) { return nil }
        return parameters.lazy.map(\.name).first { other in
            other.hasBrackets(behind: name) && other != list && !declared.contains(other)
        }
    }

    private func text(of parameter: (name: String, value: String?)) throws -> String {
        guard let value = parameter.value else { throw Self.invalid(parameter.name, "must be percent-encoded UTF-8") }
        return value
    }

    func isPresent(_ name: String) -> Bool { contains(name) || contains(name + "[]") || bracketed(name) != nil }

    func text(at place: ParameterPlace) throws -> String? {
        switch place {
        case .path(let name):
            found += 1
            return request.parameters[name]
        case .query(let name):
            try checkBrackets(name, form: "\(name)=…, without brackets")
            guard let first = parameters.firstIndex(where: { $0.name == name }) else { return layout.defaults[name] }
            found += 1
            let others = parameters[(first + 1)...].count { $0.name == name }
            guard others == 0 else { throw Self.invalid(name, "must be given once, not \(others + 1) times") }
            return try text(of: parameters[first])
        case .element(_, let text): return text
        case .message, .body: return nil
        }
    }

    func read<Value: ParameterScalar>(scalar type: Value.Type, at place: ParameterPlace) throws -> Value {
        guard let text = try text(at: place) else { throw Self.invalid(place.name, "is missing") }
        guard let value = Value(parameterText: text, layout.dates) else {
            throw Self.invalid(place.name, "must be \(Value.form(insteadOf: text)), not \(text.quoted)")
        }
        return value
    }

    func read<Value: Decodable>(_ type: Value.Type, at place: ParameterPlace) throws -> Value {
        if place == .body { return try body(type) }
        if let scalar = type as? any ParameterScalar.Type, let value = try read(scalar: scalar, at: place) as? Value {
            return value
        }
        if let optional = type as? any OptionalDecodable.Type, let value = try optional.read(self, at: place) as? Value
        {
            return value
        }
        do {
            return try Value(
                from: ParameterDecoder(reader: self, place: place, type: type)
            )
        } catch let error as DecodingError {
            throw translated(error, at: place)
        }
    }

    /// The value of an optional, or nil if the request has none of its parameters.
    func readIfPresent<Value: Decodable>(_ type: Value.Type, at place: ParameterPlace) throws -> Value? {
        if place == .body { return try body(Value?.self) }
        guard case .query(let name) = place else { return try read(type, at: place) }
        let before = found
        do {
            if let scalar = type as? any ParameterScalar.Type {
                return isPresent(name) ? try read(scalar: scalar, at: place) as? Value : nil
            }
            let value = try read(type, at: place)
            guard found > before || isPresent(name) else { return nil }
            // A marker alone shows that the surrounding value is present too.
            found = max(found, before + 1)
            return value
        } catch {
            // A value that is absent is not invalid.
            if found == before, !isPresent(name) { return nil }
            throw error
        }
    }

    func contains(_ name: String) -> Bool {
        parameters.contains { $0.name == name } || layout.defaults[name] != nil
    }

    func note() {
        found += 1
    }

    func keys<Key: CodingKey>(_ type: Key.Type, in place: ParameterPlace) -> [Key] {
        if case .query(let name) = place {
            // The value of the property that holds an enum is the name of its case.
            let cases = parameters.filter { $0.name == name }.compactMap(\.value).filter { !$0.isEmpty }
            if !cases.isEmpty { return cases.compactMap { layout.names.key(named: $0, type) } }
        }
        return parameters.compactMap { layout.names.key(named: $0.name, type) }
    }

    // MARK: Body

    private func body<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if type == Data.self || type == Data?.self, let data = request.body as? Value { return data }
        // Without a media type, content may be anything (RFC 9110, section 8.3).
        let bytes = HTTPBytes(request.body, mediaType: request.contentType ?? "application/octet-stream")
        if type == HTTPBytes.self || type == HTTPBytes?.self, let bytes = bytes as? Value { return bytes }
        try request.checkJSON()
        return try json.decode(type, from: request.body)
    }

    private func translated(_ error: DecodingError, at place: ParameterPlace) -> HTTPMessageError {
        if case .query(let name) = place, !isPresent(name) {
            return Self.invalid(name, "is missing")
        }
        if case .dataCorrupted(let context) = error, error.hasWireReason {
            return Self.invalid(place.name, context.debugDescription.loggable)
        }
        let text = (try? text(at: place)) ?? nil
        return Self.invalid(place.name, text.map { "must not be \($0.quoted)" } ?? "is not valid")
    }
}

extension String {
    fileprivate func hasBrackets(behind name: String) -> Bool {
        utf8.starts(with: name.utf8) && utf8.dropFirst(name.utf8.count).first == UInt8(ascii: "[")
    }
}

private protocol OptionalDecodable {
    static func read(_ reader: ParameterReader, at place: ParameterPlace) throws -> Self
}

extension Optional: OptionalDecodable where Wrapped: Decodable {
    fileprivate static func read(_ reader: ParameterReader, at place: ParameterPlace) throws -> Wrapped? {
        place == .body
            ? try reader.read(Self.self, at: place)
            : try reader.readIfPresent(Wrapped.self, at: place)
    }
}

import DuetContext
package import Foundation
import Synchronization

package struct JSONCoder: Sendable {
    private let usesKeysAsWritten: Bool
    private let encoder: JSONEncoder
    private let decoder: JSONDecoder

    package init(_ coding: HTTPCoding = HTTPCoding()) {
        usesKeysAsWritten = coding.keys == .asWritten
        encoder = JSONEncoder()
        // Sorted members make equal values equal bytes in every process, so that entity tags are equal too.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if !usesKeysAsWritten {
            let names = KeyNames(coding.keys)
            encoder.keyEncodingStrategy = .custom { path in WireKey(last: path, names) }
        }
        decoder = JSONDecoder()
        switch coding.dates {
        case .rfc3339, .millisecondsSince1970:
            let dates = coding.dates
            encoder.dateEncodingStrategy = .custom { try $0.encode(asJSONTo: $1, dates) }
            decoder.dateDecodingStrategy = .custom { try Date(fromJSON: $0, dates) }
        case .secondsSince1970:
            encoder.dateEncodingStrategy = .secondsSince1970
            decoder.dateDecodingStrategy = .secondsSince1970
        }
    }

    /// The value as JSON, with the members of every object sorted by name.
    ///
    /// - Throws: `EncodingError` for values that JSON cannot hold, such as infinity.
    package func encode<Value: Encodable>(_ value: Value) throws -> Data {
        try encoder.encode(value)
    }

    /// The value in a JSON document.
    ///
    /// - Parameter envelope: The name of the member that holds the value, beside which others are ignored; nil for the
    ///   whole document.
    /// - Throws: ``HTTPMessageError`` with the path to the fault.
    package func decode<Value: Decodable>(
        _ type: Value.Type,
        from data: Data,
        in envelope: String? = nil
    ) throws -> Value {
        try check(data)
        do {
            if usesKeysAsWritten || type is any ParameterScalar.Type { return try read(type, from: data, in: envelope) }
            return try read(SnakeCased<Value>.self, from: data, in: envelope).value
        } catch let error as DecodingError {
            if usesKeysAsWritten, error.isVague { try locate(type, in: data, envelope) }
            throw HTTPMessageError(error, in: data)
        }
    }

    private func read<Value: Decodable>(
        _ type: Value.Type,
        from data: Data,
        in envelope: String?
    ) throws -> Value {
        guard let envelope else { return try decoder.decode(type, from: data) }
        return try decoder.decode(Enveloped<Value>.self, from: data, configuration: envelope).value
    }

    /// The value in a JSON document that is read with a configuration.
    ///
    /// - Throws: `DecodingError`; ``HTTPMessageError`` for a document that ``ForeignText`` refuses.
    func decode<Value: DecodableWithConfiguration>(
        _ type: Value.Type,
        from data: Data,
        configuration: Value.DecodingConfiguration
    ) throws -> Value {
        try check(data)
        return try decoder.decode(type, from: data, configuration: configuration)
    }

    /// Checks a document before the names of its members are compared.
    private func check(_ data: Data) throws(HTTPMessageError) {
        guard let fault = ForeignText.fault(inJSON: data) else { return }
        throw .invalid(field: "body", reason: InvalidJSON.compression(of: data) ?? fault)
    }

    /// Reads the document again, value by value.
    ///
    /// - Throws: ``HTTPMessageError`` with the path to the fault, if the second reading finds it.
    private func locate<Value: Decodable>(_ type: Value.Type, in data: Data, _ envelope: String?) throws {
        do {
            _ = try read(Located<Value>.self, from: data, in: envelope)
        } catch let error as DecodingError where !error.isOfTheParser {
            throw HTTPMessageError(error, in: data)
        } catch {}
    }
}

/// A value as a member of an object, whose name is the configuration.
private struct Enveloped<Value: Decodable>: DecodableWithConfiguration {
    let value: Value

    init(from decoder: any Decoder, configuration name: String) throws {
        value = try decoder.container(keyedBy: WireKey.self).decode(Value.self, forKey: WireKey(name))
    }
}

extension WireKey {
    /// The name of the last key of a path; the keys of a dictionary are data and keep their names.
    fileprivate init(last path: [any CodingKey], _ names: KeyNames) {
        guard let key = path.last else {
            self.init("")
            return
        }
        let isName = !(key is WireKey) && type(of: key) != Self.typeOfDictionaryKeys
        self.init(isName ? names.name(key.stringValue) : key.stringValue)
    }

    /// The standard library's type for the keys of an encoded dictionary, which has no public name.
    private static let typeOfDictionaryKeys: (any CodingKey.Type)? = {
        let found = Mutex<(any CodingKey.Type)?>(nil)
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .custom { path in
            if let key = path.last { found.withLock { $0 = type(of: key) } }
            return path.last ?? WireKey("")
        }
        _ = try? encoder.encode([0: 0])
        return found.withLock { $0 }
    }()
}

extension Date {
    fileprivate func encode(asJSONTo encoder: any Encoder, _ dates: HTTPCoding.Dates) throws {
        var container = encoder.singleValueContainer()
        switch dates {
        case .millisecondsSince1970:
            if let milliseconds = millisecondsSince1970 { return try container.encode(milliseconds) }
        default:
            if let text = parameterText(dates) { return try container.encode(text) }
        }
        let reason = "must be a time in the years 0000 to 9999"
        throw EncodingError.invalidValue(self, .init(codingPath: encoder.codingPath, debugDescription: reason))
    }

    fileprivate init(fromJSON decoder: any Decoder, _ dates: HTTPCoding.Dates) throws {
        let container = try decoder.singleValueContainer()
        if case .millisecondsSince1970 = dates {
            self.init(millisecondsSince1970: try container.decode(Int64.self))
            return
        }
        let text = try container.decode(String.self)
        guard let date = Date(rfc3339: text) else {
            let reason = "must be a date and time with an offset (RFC 3339), not \(text.quoted)"
            throw DecodingError.dataCorruptedError(in: container, debugDescription: reason)
        }
        self = date
    }
}

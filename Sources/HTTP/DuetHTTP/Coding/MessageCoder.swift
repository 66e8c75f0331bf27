import Duet
import DuetContext
package import Foundation
package import HTTPTypes

package struct EncodedMessage: Hashable, Sendable {
    /// The percent-encoded path and query, relative to the base URL and without a leading slash.
    package let path: String

    /// The fields of the message and of the API, with `Content-Type` if there is a body.
    package let headers: HTTPFields

    /// Whether the message adds no fields to those of the API.
    package let hasUsualHeaders: Bool

    package let body: Data?
}

/// Writes the messages of one type as requests and reads them back, by the settings of an API.
///
/// A coder is created once for each type, because it examines what the type's protocols require.
package struct MessageCoder<Message: HTTPMessage>: Sendable {
    /// The faults of the declaration; empty if every message can be read back as it was written.
    package let faults: [String]

    private let layout: MessageLayout
    private let json: JSONCoder
    private let headers: HTTPFields
    private let ownHeaders: [MessageField<Message>]

    /// The fields with the media type of a JSON body, or nil if the API sets a type that is not JSON.
    private let jsonHeaders: HTTPFields?

    /// Whether a message is encoded as is: no path parameters, no renamed properties, no protocol requirements.
    private let isPlain: Bool
    private let requirements: [ProtocolRequirement<Message>]
    private let body: (@Sendable (Message, JSONCoder) throws -> HTTPBytes)?
    private let hasBytes: Bool
    private let isInPath: Bool

    package init(_ settings: HTTPSettings) {
        let route = Message.route
        let coding = route.coding ?? settings.coding
        let body = ProtocolRequirement<Message>.body(of: Message.self)
        let content: MessageLayout.Content =
            switch route.method.httpMethod {
            case .get, .delete: .none
            default: body.map { .property($0.key) } ?? (route.isForm ? .form : .object)
            }
        var layout = MessageLayout(
            message: Message.messageName,
            template: PathTemplate(route.path),
            names: KeyNames(coding.keys, own: settings.parameterNames.merging(route.parameterNames) { $1 }),
            dates: coding.dates,
            defaults: content == .object ? [:] : route.parameterDefaults,
            content: content,
            marksEmptyValues: content != .form && !(Message.self is any ThirdPartyQuery.Type)
        )
        json = JSONCoder(coding)
        headers = settings.headers
        ownHeaders = route.requestHeaders
        var jsonHeaders = settings.headers
        jsonHeaders[.contentType] = settings.headers[.contentType] ?? "application/json"
        self.jsonHeaders = MediaType(jsonHeaders[.contentType])?.isJSONInUTF8 == true ? jsonHeaders : nil
        requirements = ProtocolRequirement.all(of: Message.self)
        self.body = content == .none ? nil : body?.bytes
        hasBytes = content == .form || (Message.self as? any BodyCommand.Type)?.sendsBytes ?? false
        let declaration = MessageDeclaration(
            Message.self,
            layout,
            requirements: requirements.map(\.key),
            bodyKey: body?.key
        )
        layout.selfMarking = declaration.selfMarking
        isInPath = declaration.isInPath
        self.layout = layout
        isPlain =
            layout.content == .object && layout.template.placeholders.isEmpty && !declaration.isRenamed
            && requirements.isEmpty
            && declaration.hasProperties
        let isLost = route.isForm && content != .form
        let formFaults = isLost ? ["has no form, because of its method or its body. Remove .formEncoded()."] : []
        faults = (declaration.faults + formFaults).map { "\(Message.messageName) \($0)".asSentence }
    }

    /// The message as a request.
    ///
    /// - Throws: ``HTTPMessageError`` for a value that cannot be sent.
    package func encode(_ message: Message) throws -> EncodedMessage {
        do {
            if isPlain {
                let content = HTTPBytes(try json.encode(message), mediaType: "application/json")
                return try encoded(message, path: layout.template.text, content)
            }
            let writer = ParameterWriter(layout, remembersKeys: !requirements.isEmpty)
            var content: HTTPBytes?
            if layout.content == .object {
                let data = try json.encode(MessageBody(message: message, parameters: writer))
                content = HTTPBytes(data, mediaType: "application/json")
            } else {
                try message.encode(
                    to: ParameterEncoder(writer: writer, place: .message, parent: .message)
                )
                content = try body?(message, json)
            }
            for requirement in requirements
            where !writer.keys.contains(requirement.key) && requirement.hasValue(message) {
                let reason =
                    "is not encoded, though its protocol requires it; encode it in encode(to:) and add it to CodingKeys"
                throw writer.unsendable(requirement.key, reason)
            }
            let path = try writer.finish()
            if layout.content == .form {
                content = HTTPBytes(Data(writer.query.bytes), mediaType: MessageParts.formMediaType)
            }
            return try encoded(message, path: path, content)
        } catch let error as EncodingError {
            throw HTTPMessageError(error, message: Message.messageName)
        }
    }

    /// The message of a request.
    ///
    /// - Throws: ``HTTPMessageError`` with the parameter or the path to the fault.
    package func decode(_ request: MessageParts) throws -> Message {
        let request = layout.content == .form ? try request.readingForm() : request
        let reader = try ParameterReader(request, layout, json)
        do {
            guard layout.content == .object else {
                let message = try Message(from: ParameterDecoder(reader: reader, place: .message))
                try checkMediaType(of: message, request)
                return message
            }
            // An empty request counts as an empty object, so that the error names the missing property.
            // Some clients send the media type of a body that they do not have.
            let isEmpty = request.body.isEmpty && (request.contentType == nil || isInPath)
            if !isEmpty { try request.checkJSON() }
            let document = isEmpty ? Data("{}".utf8) : request.body
            if isPlain { return try json.decode(Message.self, from: document) }
            do {
                return try json.decode(MessageObject.self, from: document, configuration: reader).message
            } catch let error as DecodingError where error.isVague {
                reader.locate()
                return try json.decode(MessageObject.self, from: document, configuration: reader).message
            }
        } catch let error as DecodingError {
            throw HTTPMessageError(error, in: request.body)
        }
    }

    /// Checks that bytes have the media type that the message would send, which their property may lose.
    ///
    /// An invalid message passes, because its validation states the reason that helps.
    ///
    /// - Throws: ``HTTPMessageError/unsupportedMediaType(expected:)``.
    private func checkMediaType(of message: Message, _ request: MessageParts) throws {
        guard hasBytes, let body else { return }
        let expected = try body(message, json).mediaType
        let declared = request.contentType ?? "application/octet-stream"
        guard MediaType(declared)?.essence == MediaType(expected)?.essence else {
            if let message = message as? any Validatable, (try? message.validate()) == nil { return }
            throw HTTPMessageError.unsupportedMediaType(expected: [expected])
        }
    }

    /// The fields of messages that add none.
    var usualHeaders: HTTPFields { layout.content == .none ? headers : jsonHeaders ?? headers }

    private func encoded(_ message: Message, path: String, _ content: HTTPBytes?) throws -> EncodedMessage {
        let own = HTTPFields(ownHeaders, of: message)
        let isUsual = layout.content == .none ? content == nil : !hasBytes && content != nil && jsonHeaders != nil
        guard own.isEmpty, isUsual else {
            let fields = try fields(own, content)
            return EncodedMessage(path: path, headers: fields, hasUsualHeaders: false, body: content?.data)
        }
        return EncodedMessage(path: path, headers: usualHeaders, hasUsualHeaders: true, body: content?.data)
    }

    /// The fields of the API and of the message, which take precedence, and the media type of the body.
    private func fields(_ own: HTTPFields, _ content: HTTPBytes?) throws -> HTTPFields {
        var fields = headers
        fields.replace(with: own)
        guard let content else { return fields }
        guard content.hasSendableType, content.entityTag == nil else {
            throw unsendable("body", "must have a media type that a header can hold, and no entity tag")
        }
        if !hasBytes, let type = fields[.contentType] {
            guard MediaType(type)?.isJSONInUTF8 == true else {
                let reason = """
                    is “\(type.loggable)”, but the body is JSON; name a type that is or ends with json, or send \
                    HTTPBytes
                    """
                throw unsendable("its Content-Type", reason)
            }
        } else {
            fields[.contentType] = content.mediaType
        }
        return fields
    }

    private func unsendable(_ property: String, _ reason: String) -> HTTPMessageError {
        .unsendable(message: Message.messageName, property: property, reason: reason)
    }
}

extension HTTPFields {
    /// Adds fields in place of existing fields with the same names.
    mutating func replace(with fields: HTTPFields) {
        guard !fields.isEmpty else { return }
        for field in fields { self[field.name] = nil }
        append(contentsOf: fields)
    }
}

package struct MessageParts: Hashable, Sendable {
    /// The decoded values of the path, by the names in braces.
    package let parameters: [String: String]

    /// The percent-encoded query, or nil without one.
    package let query: String?

    /// The media type of the body with its parameters, or nil if the request has none.
    package let contentType: String?

    /// The body; empty if there is none.
    package let body: Data

    package init(parameters: [String: String], query: String?, contentType: String?, body: Data) {
        self.parameters = parameters
        self.query = query
        self.contentType = contentType
        self.body = body
    }
}

extension MessageParts {
    static let formMediaType = "application/x-www-form-urlencoded"

    /// The same with a form in place of the query.
    ///
    /// - Throws: ``HTTPMessageError/unsupportedMediaType(expected:)`` for another body.
    fileprivate func readingForm() throws -> MessageParts {
        guard body.isEmpty || MediaType(contentType)?.essence == Self.formMediaType else {
            throw HTTPMessageError.unsupportedMediaType(expected: [Self.formMediaType])
        }
        let query = String(decoding: body, as: UTF8.self)
        return MessageParts(parameters: parameters, query: query, contentType: contentType, body: Data())
    }

    /// Checks that the body is not empty and that its media type is JSON in UTF-8.
    ///
    /// - Throws: ``HTTPMessageError``.
    func checkJSON() throws {
        // The usual media type needs no parsing, and an empty body needs no media type.
        guard
            contentType == "application/json" || MediaType(contentType)?.isJSONInUTF8 == true
                || contentType == nil && body.isEmpty
        else { throw HTTPMessageError.unsupportedMediaType(expected: ["application/json"]) }
        guard !body.isEmpty else { throw HTTPMessageError.invalid(field: "body", reason: "is empty") }
    }
}

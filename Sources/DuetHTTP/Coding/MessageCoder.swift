import Duet
import Foundation
package import HTTPTypes

/// Writes the messages of one type as requests and reads them back, by the settings of an API.
///
/// Made once for each type: it finds out what the type promises (a body, a filter, an id), so that no request has to.
package struct MessageCoder<Message: HTTPMessage>: Sendable {
    /// What is wrong with the declaration; empty when every message can be read back as it was written.
    package let faults: [InvalidHTTPAPI.Fault]

    private let layout: MessageLayout
    private let json: JSONCoder
    private let headers: HTTPFields

    /// The same with the type of a JSON body; nil when the API's own is none of JSON.
    private let jsonHeaders: HTTPFields?

    /// Whether a message is a JSON object as it is: nothing is in its path, nothing renamed, nothing promised.
    private let isPlain: Bool
    private let promises: [MessagePromise<Message>]
    private let body: (@Sendable (Message, JSONCoder) throws -> HTTPBytes)?
    private let hasBytes: Bool

    package init(_ method: HTTPRequest.Method, _ settings: HTTPSettings) {
        let coding = Message.coding ?? settings.coding
        let body = MessagePromise<Message>.body(of: Message.self)
        let content: MessageLayout.Content =
            switch method {
            case .get, .head, .delete: .none
            default: body.map { .property($0.key) } ?? .object
            }
        var layout = MessageLayout(
            message: Message.messageName,
            template: PathTemplate(Message.path),
            names: KeyNames(coding.keys, own: settings.parameterNames.merging(Message.parameterNames) { $1 }),
            dates: coding.dates,
            defaults: content == .object ? [:] : Message.parameterDefaults,
            content: content
        )
        json = JSONCoder(coding)
        headers = settings.headers
        var jsonHeaders = settings.headers
        jsonHeaders[.contentType] = settings.headers[.contentType] ?? "application/json"
        self.jsonHeaders = MediaType(jsonHeaders[.contentType])?.isJSONInUTF8 == true ? jsonHeaders : nil
        promises = MessagePromise.all(of: Message.self)
        self.body = content == .none ? nil : body?.bytes
        hasBytes = (Message.self as? any BodyCommand.Type)?.sendsBytes ?? false
        let declaration = MessageDeclaration(
            Message.self,
            layout,
            method,
            promises: promises.map(\.key),
            bodyKey: body?.key
        )
        layout.selfTold = declaration.selfTold
        self.layout = layout
        isPlain =
            layout.content == .object && layout.template.placeholders.isEmpty && !declaration.isRenamed
            && promises.isEmpty
            && declaration.hasProperties
        faults = declaration.faults.map { .init([Message.messageName], "\(Message.messageName) \($0)".asSentence) }
    }

    /// The message as a request.
    ///
    /// - Throws: ``HTTPMessageError`` for a value that cannot be written.
    package func encode(_ message: Message) throws -> EncodedMessage {
        do {
            if isPlain {
                let content = HTTPBytes(try json.encode(message), mediaType: "application/json")
                return try encoded(message, path: layout.template.text, content)
            }
            let writer = ParameterWriter(layout, remembersKeys: !promises.isEmpty)
            var content: HTTPBytes?
            if layout.content == .object {
                let data = try json.encode(message, parameters: writer)
                content = HTTPBytes(data, mediaType: "application/json")
            } else {
                try message.encode(
                    to: ParameterEncoder(writer: writer, place: .message, parent: .message)
                )
                content = try body?(message, json)
            }
            for promise in promises where !writer.keys.contains(promise.key) && promise.isKept(message) {
                let reason =
                    "is not encoded, though its protocol promises it; see to it that encode(to:) and CodingKeys have it"
                throw writer.unsendable(promise.key, reason)
            }
            return try encoded(message, path: writer.finish(), content)
        } catch let error as EncodingError {
            throw HTTPMessageError(error, message: Message.messageName)
        }
    }

    /// The message of a request.
    ///
    /// - Throws: ``HTTPMessageError`` that names the parameter or the path to the fault.
    package func decode(_ request: ReceivedMessage) throws -> Message {
        let reader = try ParameterReader(request, layout, json)
        do {
            guard layout.content == .object else {
                let message = try Message(from: ParameterDecoder(reader: reader, place: .message))
                try checkMediaType(of: message, request)
                return message
            }
            // No content at all is a request without properties: what is missing is then told by its name.
            let isEmpty = request.body.isEmpty && request.contentType == nil
            if !isEmpty { try request.checkJSON() }
            let document = isEmpty ? Data("{}".utf8) : request.body
            if isPlain { return try json.decode(Message.self, from: document) }
            do {
                return try json.decoder.decode(MessageObject.self, from: document, configuration: reader).message
            } catch let error as DecodingError where error.isVague {
                reader.locate()
                return try json.decoder.decode(MessageObject.self, from: document, configuration: reader).message
            }
        } catch let error as DecodingError {
            throw HTTPMessageError(error)
        }
    }

    /// Checks that bytes came as what the message itself would send them as: the property that they were read into may hold
    /// nothing but them, and what they are called would be lost.
    ///
    /// - Throws: ``HTTPMessageError/unsupportedMediaType(expected:)``.
    private func checkMediaType(of message: Message, _ request: ReceivedMessage) throws {
        guard hasBytes, let body else { return }
        let expected = try body(message, json).mediaType
        let declared = request.contentType ?? "application/octet-stream"
        guard MediaType(declared)?.essence == MediaType(expected)?.essence else {
            throw HTTPMessageError.unsupportedMediaType(expected: [expected])
        }
    }

    /// The fields of most messages of the type: those that have none of their own.
    var usualHeaders: HTTPFields { layout.content == .none ? headers : jsonHeaders ?? headers }

    private func encoded(_ message: Message, path: String, _ content: HTTPBytes?) throws -> EncodedMessage {
        let own = message.requestHeaders
        let isUsual = layout.content == .none ? content == nil : !hasBytes && content != nil && jsonHeaders != nil
        guard own.isEmpty, isUsual else {
            let fields = try fields(own, content)
            return EncodedMessage(path: path, headers: fields, hasUsualHeaders: false, body: content?.data)
        }
        return EncodedMessage(path: path, headers: usualHeaders, hasUsualHeaders: true, body: content?.data)
    }

    /// The API's fields, those of the message in their place where both have them, and the type of the body.
    private func fields(_ own: HTTPFields, _ content: HTTPBytes?) throws -> HTTPFields {
        var fields = headers
        for field in own { fields[field.name] = nil }
        for field in own { fields.append(field) }
        guard let content else { return fields }
        guard content.hasSendableType, content.entityTag == nil else {
            throw unsendable("body", "must have a media type that a header can hold, and no entity tag")
        }
        if !hasBytes, let type = fields[.contentType] {
            guard MediaType(type)?.isJSONInUTF8 == true else {
                let reason = """
                    is “\(type.loggable)”, but the body is JSON; name a type that is or ends with json, or send HTTPBytes
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

extension String {
    fileprivate var asSentence: String { hasSuffix(".") ? self : self + "." }
}

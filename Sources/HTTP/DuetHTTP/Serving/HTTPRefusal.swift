import Duet
public import Foundation
public import HTTPTypes

/// A response that refuses a request, or says that it has failed, before its content is written.
public struct HTTPRefusal: Sendable {
    /// The status, from 400 to 599, which tells the cause.
    public let status: HTTPResponse.Status

    /// An explanation for people; nil if the status says everything.
    public let detail: String?

    /// The name of the parameter, or the path to the member, that is not valid, such as `items[3].image`; nil if the
    /// refusal concerns the request as a whole.
    public let member: String?

    /// The error of a handler, a rule or a validation; nil if the server itself refuses the request.
    public let error: (any Error)?
}

/// The content of a refusal in the format of an API.
public struct RefusalContent: Sendable {
    let data: Result<Data, any Error>
    let mediaType: String
    let status: HTTPResponse.Status?

    /// Creates content as JSON.
    ///
    /// - Parameters:
    ///   - value: The value, whose properties are written with their own names.
    ///   - status: A status from 400 to 599 in place of the refusal's; nil to keep that.
    public init(_ value: some Encodable, status: HTTPResponse.Status? = nil) {
        data = Result { try Self.json(value) }
        mediaType = "application/json"
        self.status = status
    }

    fileprivate static func json(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    /// Creates content of another media type, with a status as in ``init(_:status:)``.
    public init(data: Data, mediaType: String, status: HTTPResponse.Status? = nil) {
        self.data = .success(data)
        self.mediaType = mediaType
        self.status = status
    }
}

/// Returns the content of a refusal.
public typealias RefusalFormat = @Sendable (_ refusal: HTTPRefusal) -> RefusalContent

extension ServedResponse {
    /// The problem of a refusal, which is written when its format is known.
    package struct Refusal: Hashable, Sendable {
        let problem: ProblemDetails
        var member: String?
        var error: Unhashed?

        /// An error, which is equal to any other one.
        struct Unhashed: Hashable {
            let error: any Error

            static func == (first: Unhashed, second: Unhashed) -> Bool { true }

            func hash(into hasher: inout Hasher) {}
        }

        /// By RFC 9457.
        ///
        /// Only an infinite number in the extensions cannot be encoded, which decoded JSON never contains.
        var content: Data? { try? RefusalContent.json(problem) }
    }

    /// Gives a refusal the format of an API; nil for RFC 9457.
    ///
    /// A field names the type of a problem without properties, for clients that catch errors by their types.
    ///
    /// - Returns: The fault of a format that was not used, for the log.
    @discardableResult
    package mutating func format(as format: RefusalFormat?) -> String? {
        guard let format, let refusal else { return nil }
        let error = refusal.error?.error
        let content = format(
            HTTPRefusal(status: status, detail: refusal.problem.detail, member: refusal.member, error: error)
        )
        guard case .success(let data) = content.data, HTTPField.isValidValue(content.mediaType),
            (400...599).contains(content.status?.code ?? status.code)
        else {
            return """
                MountOptions(refusals:) has returned a status that is not 400 to 599, a media type that no field can \
                hold, or a value that cannot be encoded for \(status.code), so the response has the format of RFC 9457
                """
        }
        status = content.status ?? status
        headers[.contentType] = content.mediaType
        let isType = refusal.problem.extensions.isEmpty && refusal.problem.type != "about:blank"
        if isType || error is AuthorizationError { headers[.problem] = refusal.problem.type }
        body = data
        self.refusal = nil
        return nil
    }
}

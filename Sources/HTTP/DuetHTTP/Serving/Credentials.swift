import Duet
import DuetContext
import HTTPTypes

/// Finds the principals of requests, by one authenticator or several.
struct Credentials {
    /// Names that are no schemes and no fields.
    let faults: [String]
    /// The fields that contain credentials, apart from `Authorization`.
    let fields: [HTTPField.Name]
    private let all: [(authenticator: any TokenAuthenticator, place: CredentialScheme.Place)]
    /// The challenges of all schemes but `Bearer` (RFC 9110, section 11.6.1).
    private let challenges: [String]
    private let hasBearer: Bool

    init(_ authenticator: (any TokenAuthenticator)?) {
        let authenticators = authenticator?.authenticators ?? []
        let schemes = authenticators.map(\.scheme)
        all = authenticators.map { ($0, $0.scheme.place) }
        fields = schemes.compactMap { if case .field(let name) = $0.place { HTTPField.Name(name) } else { nil } }
        hasBearer = schemes.isEmpty || schemes.contains(.bearer)
        var known: Set<CredentialScheme> = [.bearer]
        challenges = schemes.filter { known.insert($0).inserted }.map(\.challenge)
        faults = schemes.compactMap { scheme in
            HTTPField.Name(scheme.name) == nil ? "“\(scheme.name.loggable)” is no name of a scheme or a field." : nil
        }
    }

    /// Whether there is an authenticator.
    var isEmpty: Bool { all.isEmpty }

    /// Returns the first principal that an authenticator finds, or nil for a request without credentials.
    ///
    /// - Throws: ``ServedResponse`` if the credentials are not valid, also for a message that everyone may send.
    func principal(of request: some ServedRequest) async throws -> Principal? {
        var refusal: ServedResponse?
        for (authenticator, place) in all {
            do {
                guard let token = try request.head.headerFields.token(at: place) else { continue }
                if let principal = try await authenticator.principal(bearing: token) { return principal }
                refusal = refusal ?? .invalidToken
            } catch let error as CancellationError {
                throw error
            } catch let error as ServedResponse {
                refusal = refusal ?? error
            } catch {
                request.log(HTTPServiceEvent("Credentials could not be checked", error: error))
                // Whether they are valid is not known.
                refusal = ServedResponse(
                    .serviceUnavailable,
                    "Credentials cannot be checked at the moment. Try again later."
                )
            }
        }
        if let refusal { throw refusal }
        return nil
    }

    /// Lets a refusal, which has the challenge of `Bearer`, name all schemes.
    func challenge(in response: inout ServedResponse) {
        guard response.status.kind == .clientError, !(challenges.isEmpty && hasBearer),
            let bearer = response.headers[.wwwAuthenticate]
        else { return }
        // Only `Bearer` has challenges for other statuses.
        let others = response.status == .unauthorized ? challenges : []
        let all = (hasBearer ? [bearer] : []) + others
        response.headers[.wwwAuthenticate] = all.isEmpty ? nil : all.joined(separator: ", ")
    }
}

extension CredentialScheme {
    fileprivate var name: String {
        switch place {
        case .authorization(let scheme): scheme
        case .field(let name): name
        }
    }

    fileprivate var challenge: String {
        switch place {
        case .authorization where self == .basic: #"Basic realm="api", charset="UTF-8""#
        case .authorization(let scheme): #"\#(scheme) realm="api""#
        case .field(let name): #"Key realm="api", field="\#(name)""#
        }
    }
}

extension HTTPFields {
    /// The token at a place; nil without one.
    ///
    /// - Throws: ``ServedResponse`` for a field that occurs twice, and for a token that cannot be one.
    fileprivate func token(at place: CredentialScheme.Place) throws(ServedResponse) -> String? {
        switch place {
        case .authorization(let scheme):
            guard let value = try only(.authorization) else { return nil }
            let found = value.prefix { $0 != " " }
            guard found.utf8.count == scheme.utf8.count, found.lowercased() == scheme.lowercased() else { return nil }
            let token = value[found.endIndex...].drop { $0 == " " }
            guard token.utf8.count <= 8_192, token.isBearerToken else { throw ServedResponse.invalidToken }
            return String(token)
        case .field(let name):
            guard let name = HTTPField.Name(name), let value = try only(name), !value.isEmpty else { return nil }
            guard value.utf8.count <= 8_192 else { throw ServedResponse.invalidToken }
            return value
        }
    }

    private func only(_ name: HTTPField.Name) throws(ServedResponse) -> String? {
        let values = self[values: name]
        guard values.count > 1 else { return values.first }
        throw ServedResponse(
            .badRequest,
            "\(name.rawName) must be given once.",
            headers: [.wwwAuthenticate: #"Bearer error="invalid_request""#]
        )
    }
}

extension ServedResponse {
    fileprivate static var invalidToken: ServedResponse {
        var response = ServedResponse.unauthorized
        response.headers[.wwwAuthenticate] = #"Bearer error="invalid_token""#
        return response
    }
}

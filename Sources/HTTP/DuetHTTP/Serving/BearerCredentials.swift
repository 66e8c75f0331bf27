import Duet
import DuetContext
import HTTPTypes

extension Optional where Wrapped == any TokenAuthenticator {
    /// Returns the principal of a request, or nil for an anonymous request.
    ///
    /// - Throws: ``ServedResponse`` if the token is not valid, also for a message that everyone may send.
    func principal(of request: some ServedRequest) async throws -> Principal? {
        guard let authenticator = self, let token = try request.head.headerFields.bearerToken else { return nil }
        let principal: Principal?
        do {
            principal = try await authenticator.principal(bearing: token)
        } catch let error as CancellationError {
            throw error
        } catch {
            request.log(HTTPServiceEvent("A bearer token could not be checked", error: error))
            throw ServedResponse(.serviceUnavailable, "Bearer tokens cannot be checked at the moment. Try again later.")
        }
        guard let principal else { throw ServedResponse.invalidToken }
        return principal
    }
}

extension HTTPFields {
    /// The token of the scheme `Bearer` (RFC 6750, section 2.1), or nil without credentials of this scheme.
    fileprivate var bearerToken: String? {
        get throws(ServedResponse) {
            guard let value = self[.authorization] else { return nil }
            guard self[values: .authorization].count == 1 else {
                throw ServedResponse(
                    .badRequest,
                    "Authorization must be given once.",
                    headers: [.wwwAuthenticate: #"Bearer error="invalid_request""#]
                )
            }
            let scheme = value.prefix { $0 != " " }
            guard scheme.utf8.count == 6, scheme.lowercased() == "bearer" else { return nil }
            let token = value[scheme.endIndex...].drop { $0 == " " }
            guard token.utf8.count <= 8_192, token.isBearerToken else { throw ServedResponse.invalidToken }
            return String(token)
        }
    }
}

extension ServedResponse {
    fileprivate static var invalidToken: ServedResponse {
        var response = ServedResponse.unauthorized
        response.headers[.wwwAuthenticate] = #"Bearer error="invalid_token""#
        return response
    }
}

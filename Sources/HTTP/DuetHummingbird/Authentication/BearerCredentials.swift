import Duet
import DuetContext
import DuetHTTP
import HTTPTypes
import Hummingbird
import Logging

extension Optional where Wrapped == any TokenAuthenticator {
    /// Returns the principal of a request, or nil for an anonymous request to an endpoint that allows it.
    ///
    /// - Throws: ``Refusal`` if the endpoint needs a principal and the request has no token, and on every endpoint if
    ///   the token is not valid.
    func principal(of request: Request, needsPrincipal: Bool, logger: Logger) async throws -> Principal? {
        guard let authenticator = self else { return nil }
        guard let token = try request.headers.bearerToken else {
            guard needsPrincipal else { return nil }
            throw Refusal(.unauthorized)
        }
        let principal: Principal?
        do {
            principal = try await authenticator.principal(bearing: token)
        } catch let error as CancellationError {
            throw error
        } catch {
            logger.error("A bearer token could not be checked", metadata: ["error": "\("\(error)".safe())"])
            throw Refusal(.serviceUnavailable, "Bearer tokens cannot be checked at the moment. Try again later.")
        }
        guard let principal else { throw Refusal.invalidToken }
        return principal
    }
}

extension HTTPFields {
    /// The token of the scheme `Bearer` (RFC 6750, section 2.1), or nil without credentials of this scheme.
    fileprivate var bearerToken: String? {
        get throws(Refusal) {
            guard let value = self[.authorization] else { return nil }
            guard self[values: .authorization].count == 1 else {
                throw Refusal(
                    .badRequest,
                    "Authorization must be given once.",
                    headers: [.wwwAuthenticate: #"Bearer error="invalid_request""#]
                )
            }
            let scheme = value.prefix { $0 != " " }
            guard scheme.utf8.count == 6, scheme.lowercased() == "bearer" else { return nil }
            let token = value[scheme.endIndex...].drop { $0 == " " }
            guard token.utf8.count <= 8_192, token.isBearerToken else { throw Refusal.invalidToken }
            return String(token)
        }
    }
}

extension Refusal {
    fileprivate static var invalidToken: Refusal {
        var response = ServedResponse.unauthorized
        response.headers[.wwwAuthenticate] = #"Bearer error="invalid_token""#
        return Refusal(response)
    }
}

import Duet
import DuetContext
import DuetHTTP
import Foundation
import HTTPTypes
import Testing

/// Tests of credentials in other places than `Authorization: Bearer`.
@Suite struct CredentialTests {
    private struct WhoAmI: HTTPQuery, Hashable {
        typealias Value = String
        static let route: QueryRoute<Self> = .get("me").responseHeaders([.cacheControl: "max-age=60"])
    }

    private struct WhoAmIHandler: QueryHandler {
        func handle(_ query: WhoAmI) async throws -> String { Principal.current?.id ?? "nobody" }
    }

    private static let tokens = StaticTokenAuthenticator([TokenHash(of: "secret"): Principal(id: "ada")])
    private static let users = BasicAuthenticator { user, password in
        user == "bo" && password == "a:b" ? Principal(id: "bo") : nil
    }

    private func respond(
        _ authenticator: (any TokenAuthenticator)?,
        _ fields: HTTPFields = [:],
        rule: AuthorizationRule<WhoAmI> = .principal,
        cors: CORSPolicy? = nil,
        _ method: HTTPRequest.Method = .get
    ) async throws -> (HTTPResponse, String) {
        let service = try HTTPService(
            MessageAPI("me") { WhoAmI.authorized(rule) },
            StandardDispatcher { WhoAmIHandler() },
            authenticator: authenticator,
            options: MountOptions(cors: cors)
        ) { _ in }
        var request = HTTPRequest(method: method, scheme: "http", authority: "me.example", path: "/me")
        request.headerFields = fields
        let (head, content) = await service.respond(to: request)
        return (head, String(decoding: try await content.collectToSend(), as: UTF8.self))
    }

    @Test(arguments: [
        ("Token secret", 200), ("token  secret", 200), ("Bearer secret", 401), ("Token other", 401), ("Token", 401),
        ("Token a b", 401),
    ])
    func `a scheme has another name`(_ value: String, _ status: Int) async throws {
        let tokens = Self.tokens.reading(.authorization("Token"))
        let (head, _) = try await respond(tokens, [.authorization: value])
        #expect(head.status.code == status)
        #expect(head.headerFields[.wwwAuthenticate] == (status == 200 ? nil : #"Token realm="api""#))
    }

    @Test(arguments: [("bo:a:b", 200), ("bo:a", 401), ("bo", 401), ("", 401)])
    func `a user has a password`(_ text: String, _ status: Int) async throws {
        let value = "Basic \(Data(text.utf8).base64EncodedString())"
        let (head, content) = try await respond(Self.users, [.authorization: value])
        #expect(head.status.code == status)
        #expect(head.headerFields[.wwwAuthenticate] == (status == 200 ? nil : #"Basic realm="api", charset="UTF-8""#))
        if status == 200 { #expect(content == #""bo""#) }
    }

    @Test func `credentials that are not text are refused`() async throws {
        for value in ["Basic /w==", "Basic %%%"] {
            #expect(try await respond(Self.users, [.authorization: value]).0.status == .unauthorized)
        }
    }

    private func key(_ values: String...) throws -> HTTPFields {
        let name = try #require(HTTPField.Name("X-Api-Key"))
        return HTTPFields(values.map { HTTPField(name: name, value: $0) })
    }

    @Test func `a key has its own field, and its responses are private`() async throws {
        let keys = Self.tokens.reading(.field("X-Api-Key"))
        let (head, content) = try await respond(keys, key("secret"), rule: .open)
        #expect(content == #""ada""#)
        #expect(head.headerFields[.cacheControl] == "private, max-age=60")
        let (anonymous, nobody) = try await respond(keys, rule: .open)
        #expect(nobody == #""nobody""#)
        #expect(anonymous.headerFields[.cacheControl] == "max-age=60")
        let (refused, _) = try await respond(keys, key("other"), rule: .open)
        #expect(refused.status == .unauthorized)
        #expect(refused.headerFields[.wwwAuthenticate] == #"Key realm="api", field="X-Api-Key""#)
        #expect(anonymous.headerFields[.vary] == "X-Api-Key")
        #expect(try await respond(keys, key("secret", "secret")).0.status == .badRequest)
    }

    @Test func `several authenticators are asked in turn, and a challenge names all`() async throws {
        let all = Self.tokens.or(Self.users).or(Self.tokens.reading(.field("X-Api-Key")))
        #expect(try await respond(all, [.authorization: "Bearer secret"]).1 == #""ada""#)
        let user = "Basic \(Data("bo:a:b".utf8).base64EncodedString())"
        #expect(try await respond(all, [.authorization: user]).1 == #""bo""#)
        var fields = try key("secret")
        fields[.authorization] = "Bearer expired"
        #expect(try await respond(all, fields).1 == #""ada""#)
        fields[.authorization] = "Bearer a b"
        #expect(try await respond(all, fields).1 == #""ada""#)
        fields = try key("expired")
        let (refused, _) = try await respond(all, fields)
        #expect(refused.status == .unauthorized)
        #expect(
            refused.headerFields[.wwwAuthenticate]
                == #"Bearer error="invalid_token", Basic realm="api", charset="UTF-8", "#
                + #"Key realm="api", field="X-Api-Key""#
        )
        #expect(
            try await respond(all).0.headerFields[.wwwAuthenticate]?.hasPrefix(#"Bearer realm="api", Basic"#) == true
        )
    }

    @Test func `a refusal by a rule has a challenge for bearer tokens only`() async throws {
        let rule = AuthorizationRule<WhoAmI>.scope("admin")
        let bearer = try await respond(Self.tokens, [.authorization: "Bearer secret"], rule: rule).0
        #expect(bearer.headerFields[.wwwAuthenticate] == #"Bearer error="insufficient_scope""#)
        let keys = Self.tokens.reading(.field("X-Api-Key"))
        let key = try await respond(keys, key("secret"), rule: rule).0
        #expect(key.status == .forbidden)
        #expect(key.headerFields[.wwwAuthenticate] == nil)
    }

    @Test func `a page of another origin may send the key`() async throws {
        let policy = CORSPolicy(origins: ["https://me.example"])
        let fields: HTTPFields = [.origin: "https://me.example", .accessControlRequestMethod: "GET"]
        let keys = Self.tokens.reading(.field("X-Api-Key"))
        let (head, _) = try await respond(keys, fields, cors: policy, .options)
        #expect(head.headerFields[.accessControlAllowHeaders]?.hasSuffix(", X-Api-Key") == true)
    }

    @Test(arguments: [CredentialScheme.field("X Key"), .authorization(""), .authorization("a b")])
    func `a name that cannot be sent is a fault`(_ scheme: CredentialScheme) async throws {
        await #expect(throws: InvalidMessageAPI.self) { _ = try await respond(Self.tokens.reading(scheme)) }
    }
}

import Duet
import FeedFeature
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@Suite struct SessionTests {
    private let token = "feed_secret-0"

    @Test func `a token that the server accepts begins the session`() async throws {
        let site = Site()
        let answer = try await site.post("/sign-in", ["token": " \(token)\n", "return": "/publish?lang=el"])

        #expect(answer.status == .seeOther)
        #expect(answer.headers[.location] == "/publish?lang=el")
        #expect(
            answer.headers[values: .setCookie] == [
                "session=\(token); Path=/; Max-Age=1209600; HttpOnly; SameSite=Strict",
                "permissions=publish; Path=/; Max-Age=1209600; HttpOnly; SameSite=Strict",
            ]
        )
        #expect(site.messages == [.loadPermissions])
        #expect(site.senders.last == token)
    }

    @Test func `with https the cookie is sent only encrypted, and only to this host`() async throws {
        let publicURL = try #require(URL(string: "https://feed.example/"))
        let site = Site()
        let answer = try await site.post("/sign-in", ["token": token], publicURL: publicURL)

        #expect(answer.headers[.setCookie]?.hasPrefix("__Host-session=\(token); Path=/;") == true)
        #expect(answer.headers[.setCookie]?.hasSuffix("SameSite=Strict; Secure") == true)
        let plain = try await site.get("/", cookie: "session=\(token)", publicURL: publicURL)
        #expect(plain.text.contains("Sign in"))
        let secure = try await site.get("/", cookie: "__Host-session=\(token)", publicURL: publicURL)
        #expect(secure.text.contains("Sign out"))
    }

    @Test func `an unknown token is refused beside its field, and not shown again`() async throws {
        let site = Site { $0.permissions = { throw AuthorizationError.unauthenticated } }
        let answer = try await site.post("/sign-in", ["token": token, "return": "/publish"])

        #expect(answer.status == .unprocessableContent)
        #expect(answer.headers[.setCookie] == nil)
        #expect(answer.text.contains(#"<strong class="failure">The server does not accept this token</strong>"#))
        #expect(answer.text.contains(#"name="return" value="/publish""#))
        #expect(!answer.text.contains(token))
        #expect(answer.headers[.cacheControl] == "no-store")
    }

    @Test(arguments: ["", " ", "two words", "a;b", "a\r\nSet-Cookie: x=y", String(repeating: "x", count: 1_025)])
    func `a text that cannot be a token is not sent to the server`(_ text: String) async throws {
        let site = Site()
        let answer = try await site.post("/sign-in", ["token": text])

        #expect(answer.status == .unprocessableContent)
        #expect(answer.headers[.setCookie] == nil)
        #expect(site.messages.isEmpty)
    }

    @Test func `without the server nobody is signed in, and the banner shows the reason`() async throws {
        let site = Site { $0.permissions = { throw RemoteFailure.connectivity("refused") } }
        let answer = try await site.post("/sign-in", ["token": token])

        #expect(answer.status == .badGateway)
        #expect(answer.banner == "Couldn&#39;t connect to server")
        #expect(answer.headers[.setCookie] == nil)
    }

    @Test(arguments: [
        "https://evil.example/", "//evil.example", "/\\evil.example", "\\\\evil.example", "javascript:alert(1)", "",
        "/a\r\nX: y", "/\u{9}/evil.example",
    ])
    func `signing in leads only to pages of this site`(_ target: String) async throws {
        let answer = try await Site().post("/sign-in", ["token": token, "return": target])

        #expect(answer.status == .seeOther)
        #expect(answer.headers[.location] == "/")
    }

    @Test func `signing out ends the session`() async throws {
        let answer = try await Site().post("/sign-out?lang=el", cookie: "session=\(token)")

        #expect(answer.status == .seeOther)
        #expect(answer.headers[.location] == "/?lang=el")
        let cookies = ["session", "waiting"].map { "\($0)=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict" }
        #expect(answer.headers[values: .setCookie] == cookies)
    }

    @Test func `only readers who signed in see the links for writing`() async throws {
        let site = Site { $0.cached = { [image(1)] } }
        let address = "/images/\(image(1).id)"
        let guest = try await site.get(address)
        #expect(
            guest.text.contains(#"<a class="quiet" href="/sign-in?return=%2Fimages%2F\#(image(1).id)">Sign in</a>"#)
        )
        #expect(!guest.text.contains("/publish"))
        #expect(!guest.text.contains("/remove"))

        let member = try await site.get(address, cookie: "a=b; session=\(token); permissions=comment.publish")
        #expect(member.text.contains(#"<form method="post" action="/sign-out">"#))
        #expect(member.text.contains(#"href="/publish""#))
        #expect(member.text.contains(#"href="\#(address)/remove""#))
        #expect(!member.text.contains(token))
    }

    @Test(arguments: ["", "; permissions=", "; permissions=comment", "; permissions=publisher"])
    func `a reader whose token does not permit publishing sees no links for it`(_ permissions: String) async throws {
        let site = Site { $0.cached = { [image(1)] } }
        let page = try await site.get("/images/\(image(1).id)", cookie: "session=\(token)\(permissions)")

        #expect(page.text.contains("Sign out"))
        #expect(!page.text.contains("/publish"))
        #expect(!page.text.contains("/remove"))
        #expect(site.messages.contains(.loadPermissions) == false)
    }

    @Test func `the permissions of a token are remembered with the session`() async throws {
        let site = Site { $0.permissions = { [.publish, .comment] } }
        let answer = try await site.post("/sign-in", ["token": token])
        #expect(answer.headers[values: .setCookie].last?.hasPrefix("permissions=comment.publish; ") == true)

        let none = Site { $0.permissions = { [] } }
        let powerless = try await none.post("/sign-in", ["token": token])
        #expect(powerless.headers[values: .setCookie].last?.hasPrefix("permissions=; ") == true)
    }

    @Test func `a token that others could read is not sent, and the banner says so`() async throws {
        let site = Site { $0.permissions = { throw ExposedToken(host: "feed.example") } }
        let answer = try await site.post("/sign-in", ["token": token])

        #expect(answer.status == .forbidden)
        #expect(answer.banner == "Your token was not sent, because the connection to the server is not encrypted")
        #expect(answer.headers[.setCookie] == nil)
    }

    @Test(
        arguments: [
            ("session=feed_secret-0", "feed_secret-0"), (nil, nil), ("session=", nil), ("session=a b", nil),
            ("other=feed_secret-0", nil),
        ] as [(String?, String?)]
    )
    func `commands are sent with the token of the session`(_ cookie: String?, _ sender: String?) async throws {
        let site = Site()
        let fields = ["id": image(42).id.uuidString, "username": "Ann", "message": "Nice"]
        let answer = try await site.post("/images/\(image(1).id)/comments", fields, cookie: cookie)

        #expect(answer.status == .seeOther)
        #expect(site.senders.last == sender)
    }

    @Test(arguments: [false, true])
    func `a token that the server does not know any more ends the session`(isSecure: Bool) async throws {
        let site = Site { $0.command = { _ in throw AuthorizationError.unauthenticated } }
        let fields = ["id": image(42).id.uuidString, "username": "Ann", "message": "Nice"]
        let prefix = isSecure ? "__Host-" : ""
        let answer = try await site.post(
            "/images/\(image(1).id)/comments",
            fields,
            cookie: "\(prefix)session=\(token)",
            publicURL: isSecure ? URL(string: "https://feed.example/") : nil
        )
        #expect(answer.status == .forbidden)
        #expect(answer.headers[.setCookie]?.hasPrefix("\(prefix)session=; Path=/; Max-Age=0;") == true)
        #expect(answer.text.contains("Sign in</a>"))
        #expect(!answer.text.contains("Sign out"))
        #expect(answer.text.contains("Nice"))
    }

    @Test func `a refused permission does not end the session`() async throws {
        let site = Site { $0.command = { _ in throw AuthorizationError.forbidden } }
        let fields = ["id": image(42).id.uuidString, "username": "Ann", "message": "Nice"]
        let answer = try await site.post("/images/\(image(1).id)/comments", fields, cookie: "session=\(token)")
        #expect(answer.status == .forbidden)
        #expect(answer.headers[.setCookie] == nil)
        #expect(answer.text.contains("Sign out"))
    }
}

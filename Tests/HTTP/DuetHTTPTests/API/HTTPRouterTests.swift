import Duet
import DuetHTTP
import Foundation
import HTTPTypes
import Testing

/// The endpoints of methods and paths.
struct HTTPRouterTests {
    struct Users: HTTPQuery { typealias Value = Int; static let route: QueryRoute<Self> = .get("users") }
    struct Me: HTTPQuery { typealias Value = Int; static let route: QueryRoute<Self> = .get("users/me") }
    struct User: HTTPQuery {
        typealias Value = Int; static let route: QueryRoute<Self> = .get("users/{id}"); var id = ""
    }
    struct Posts: HTTPQuery {
        typealias Value = Int; static let route: QueryRoute<Self> = .get("users/{id}/posts"); var id = ""
    }
    struct Mine: HTTPQuery { typealias Value = Int; static let route: QueryRoute<Self> = .get("users/me/drafts") }
    struct Change: HTTPCommand { static let route: CommandRoute<Self> = .patch("users/me") }
    struct Remove: HTTPCommand {
        static let route: CommandRoute<Self> = .delete("users/{user}"); var user = ""
    }
    struct Slash: HTTPQuery { typealias Value = Int; static let route: QueryRoute<Self> = .get("slash/") }
    struct SlashBehindID: HTTPQuery {
        typealias Value = Int; static let route: QueryRoute<Self> = .get("slash/{id}/"); var id = ""
    }
    struct File: HTTPQuery {
        typealias Value = Int; static let route: QueryRoute<Self> = .get("files/{name}.json"); var name = ""
    }
    struct Map: HTTPQuery {
        typealias Value = Int; static let route: QueryRoute<Self> = .get("files/{name}.map.json"); var name = ""
    }
    struct Name: HTTPQuery {
        typealias Value = Int; static let route: QueryRoute<Self> = .get("files/{name}"); var name = ""
    }
    struct Range: HTTPQuery {
        typealias Value = Int
        static let route: QueryRoute<Self> = .get("files/{base}...{head}")
        var base = ""
        var head = ""
    }
    struct Cancel: HTTPCommand {
        static let route: CommandRoute<Self> = .post("files/{name}:cancel"); var name = ""
    }
    struct Root: HTTPQuery { typealias Value = Int; static let route: QueryRoute<Self> = .get("") }

    let api: HTTPAPI

    init() throws {
        api = try HTTPAPI {
            Users.self
            Me.self
            User.self
            Posts.self
            Mine.self
            Change.self
            Remove.self
            Slash.self
            SlashBehindID.self
            Name.self
            Range.self
            File.self
            Cancel.self
            Map.self
            Root.self
        }
    }

    /// The path of the endpoint with its values, the methods that are allowed, or 404.
    private func route(_ method: HTTPRequest.Method, _ path: String) -> String {
        switch api.route(method, path[...]) {
        case .found(let endpoint, let parameters):
            ([endpoint.path] + parameters.map { "\($0)=\($1)" }.sorted()).joined(separator: " ")
        case .methodNotAllowed(let allowed): "405 " + allowed.map(\.rawValue).sorted().joined(separator: " ")
        case .notFound: "404"
        }
    }

    @Test(
        arguments: [
            ("users", "users"), ("/users", "users"), ("", ""), ("/", ""),
            ("users/me", "users/me"), ("users/you", "users/{id} id=you"),
            // The literal has no endpoint here, so the placeholder is tried.
            ("users/me/posts", "users/{id}/posts id=me"), ("users/me/drafts", "users/me/drafts"),
            ("users/a%2Fb/posts", "users/{id}/posts id=a/b"), ("users/%2B+%20", "users/{id} id=++ "),
            ("slash/", "slash/"), ("/slash/7/", "slash/{id}/ id=7"),
            ("users/m%65", "users/me"), ("users/%C3%A9", "users/{id} id=é"), ("users/%00", "users/{id} id=\u{0}"),
            ("files/a", "files/{name} name=a"), ("files/a.json", "files/{name}.json name=a"),
            // The longest literal is matched first, and before the value is decoded.
            ("files/a.map.json", "files/{name}.map.json name=a"), ("files/a%2Ejson", "files/{name}.json name=a"),
            ("files/.json", "files/{name} name=.json"), ("files/%2F.json", "files/{name}.json name=/"),
            ("files/a...b", "files/{base}...{head} base=a head=b"),
            ("files/a....b", "files/{base}...{head} base=a head=.b"), ("files/...b", "files/{name} name=...b"),
            ("files/a:cancel", "files/{name} name=a:cancel"), ("files/a%3Acancel", "files/{name} name=a:cancel"),
        ]
    ) func `a path leads to its endpoint`(_ path: String, _ end: String) {
        #expect(route(.get, path) == end)
    }

    @Test(arguments: [
        "users/", "users//posts", "slash", "slash/7", "slash//", "slash/7//", "slash//7/",
        "//users", "users/%", "users/%2", "users/%zz", "users/%FF", "users/é", "users/.",
        "users/%2E%2e",
    ])
    func `a path that no message has is not found`(_ path: String) {
        #expect(route(.get, path) == "404", "\(path)")
    }

    @Test func `a HEAD finds the GET`() {
        #expect(route(.head, "users/x") == "users/{id} id=x")
    }

    @Test func `a method that only the more general path has is found`() {
        #expect(route(.delete, "users/me") == "users/{user} user=me")
        #expect(route(.patch, "users/me") == "users/me")
    }

    @Test func `a value may contain the literal behind it, which is not encoded`() {
        #expect(route(.post, "files/a%3Acancel:cancel") == "files/{name}:cancel name=a:cancel")
        #expect(route(.post, "files/a%3Acancel") == "405 GET HEAD")
        #expect(route(.post, "files/a:cancel:cancel") == "files/{name}:cancel name=a:cancel")
        #expect(route(.post, "files/a") == "405 GET HEAD")
    }

    struct Prefix: HTTPQuery { typealias Value = Int; static let route: QueryRoute<Self> = .get("x/a{id}"); var id = 1 }
    struct Suffix: HTTPQuery { typealias Value = Int; static let route: QueryRoute<Self> = .get("x/{id}b"); var id = 1 }
    struct Other: HTTPQuery { typealias Value = Int; static let route: QueryRoute<Self> = .get("x/c{id}"); var id = 1 }

    @Test func `placeholders of which neither is matched first are refused`() throws {
        let error = #expect(throws: InvalidMessageAPI.self) {
            try HTTPAPI {
                Prefix.self
                Suffix.self
            }
        }
        let fault = """
            \(Prefix.messageName) and \(Suffix.messageName) have some paths in common, x/a{id} and x/{id}b. \
            Give one another path or method.
            """
        #expect(error?.faults == [fault])
        _ = try HTTPAPI {
            Prefix.self
            Other.self
        }
    }

    @Test func `another method is refused with the known methods`() {
        #expect(route(.post, "users/me") == "405 DELETE GET HEAD PATCH")
        #expect(route(.post, "users/x") == "405 DELETE GET HEAD")
        #expect(route(.post, "users") == "405 GET HEAD")
    }

    @Test(arguments: [
        String(repeating: "a/", count: 500_000), String(repeating: "u", count: 1_000_000),
        "users/" + String(repeating: "%41", count: 300_000) + "/",
    ])
    func `a hostile path costs no more than its length`(_ path: String) {
        // With quadratic time, this would take an hour.
        #expect(route(.get, path) == "404")
    }
}

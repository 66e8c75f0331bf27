import DuetHTTP
import DuetHummingbird
import DuetTesting
import Foundation
import HTTPTypes
import Hummingbird
import Testing

/// Media types, entity tags and bodies.
@Suite
struct ContentTests {
    private let notebook = Notebook()
    private let client: RouterHTTPClient<RouterResponder<BasicRequestContext>>

    init() throws {
        client = RouterHTTPClient(try Router.notes(notebook))
    }

    @Test(arguments: [
        "*/*", "application/json", "application/*", "text/html, application/json;q=0.1", "APPLICATION/JSON",
        "text/html, */*;q=0.01",
        "application/json;charset=utf-8", "nonsense", "", "text/*;q=0, application/json",
        "*/*;q=0, application/json;q=0.001",
    ])
    func `JSON is sent to clients that accept it`(accept: String) async throws {
        #expect(try await client.ask(.get, "/v1/notes", [.accept: accept]).status == 200)
    }

    @Test(arguments: [
        "text/html", "image/*", "application/xml", "application/json;q=0", "*/*;q=0", "application/*;q=0.000, */*",
        "application/json; Q=0.0, application/*", "application/jso",
    ])
    func `a client that does not accept JSON gets a problem with the available type`(accept: String) async throws {
        let answer = try await client.ask(.get, "/v1/notes", [.accept: accept])
        #expect(answer.status == 406)
        #expect(answer.problem?.detail == "This is only available as application/json.")
        #expect(notebook.dispatched == [])
    }

    @Test
    func `the type of bytes is checked when it is known`() async throws {
        for accept in ["image/*", "image/gif", "*/*"] {
            let answer = try await client.ask(.get, "/v1/picture", [.accept: accept])
            #expect(answer.status == 200)
            #expect(answer[.contentType] == "image/gif")
            #expect(answer[.xContentTypeOptions] == "nosniff")
        }
        #expect(try await client.ask(.get, "/v1/picture", [.accept: "image/png"]).status == 406)
    }

    @Test
    func `a problem is sent whatever the client accepts, and a command needs no type`() async throws {
        #expect(try await client.ask(.get, "/v1/notes/7", [.accept: "application/json"]).problem?.status == 404)
        let note = #"{"note":{"id":1,"text":"one"}}"#
        #expect(try await client.ask(.post, "/v1/notes", [.accept: "image/png"], body: note).status == 204)
    }

    @Test(arguments: ["text/plain", "application/xml", "application/jsonx"])
    func `a body of another type is refused`(type: String) async throws {
        let answer = try await client.ask(.post, "/v1/notes", [.contentType: type], body: "{}")
        #expect(answer.status == 415)
        #expect(answer.problem != nil)
    }

    @Test
    func `a response has a strong tag that changes with its content`() async throws {
        let empty = try await client.ask(.get, "/v1/notes")
        let again = try await client.ask(.get, "/v1/notes")
        try await notebook.dispatch(AddNote(note: Note(id: 1, text: "one")))
        let one = try await client.ask(.get, "/v1/notes")
        let tag = try #require(empty[.eTag])
        #expect(tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.count == 34)
        #expect(again[.eTag] == tag)
        #expect(one[.eTag] != tag)
    }

    @Test
    func `a tag that a value brings is kept`() async throws {
        try await notebook.dispatch(
            PutPicture(body: HTTPBytes(Data("x".utf8), mediaType: "image/gif", entityTag: "v1"))
        )
        #expect(try await client.ask(.get, "/v1/picture")[.eTag] == "\"v1\"")
    }

    @Test(arguments: [HTTPRequest.Method.get, .head])
    func `content that the client already has is not sent again`(method: HTTPRequest.Method) async throws {
        try await notebook.dispatch(AddNote(note: Note(id: 1, text: "one")))
        let tag = try #require(try await client.ask(.get, "/v1/notes/1")[.eTag])
        for known in [tag, "W/\(tag)", "\"a,b\", \(tag)", "*", "\"\",\(tag),\"x\"", " , W/\"y\" ,\(tag)"] {
            let answer = try await client.ask(method, "/v1/notes/1", [.ifNoneMatch: known])
            #expect(answer.status == 304, "\(known)")
            #expect(answer.content.isEmpty)
            #expect(answer[.eTag] == tag)
            #expect(answer[.cacheControl] == "max-age=60")
            #expect(answer[.contentLength] == nil)
            #expect(answer[.contentType] == nil)
        }
    }

    @Test(arguments: ["\"other\"", "other", "", "W/", "\"unfinished", "W/\"other\", \"more\"", "x*"])
    func `content that the client does not have is sent`(known: String) async throws {
        let answer = try await client.ask(.get, "/v1/notes", [.ifNoneMatch: known])
        #expect(answer.status == 200)
        #expect(answer.text == "[]")
    }

    @Test
    func `several fields of known tags are one list, and problems have no tag`() async throws {
        let tag = try #require(try await client.ask(.get, "/v1/notes")[.eTag])
        var fields: HTTPFields = [.ifNoneMatch: "\"other\""]
        fields.append(HTTPField(name: .ifNoneMatch, value: tag))
        #expect(try await client.ask(.get, "/v1/notes", fields).status == 304)
        let missing = try await client.ask(.get, "/v1/notes/7", [.ifNoneMatch: "*"])
        #expect(missing.status == 404)
        #expect(missing[.eTag] == nil)
    }

    @Test(arguments: [(-1, 204), (0, 204), (1, 413)])
    func `a JSON body has a maximum size`(excess: Int, status: Int) async throws {
        let limit = 200
        let client = RouterHTTPClient(try Router.notes(notebook, options: MountOptions(maximumJSONBody: limit)))
        let frame = #"{"note":{"id":1,"text":""}}"#
        let text = String(repeating: "x", count: limit - frame.utf8.count + excess)
        let answer = try await client.ask(.post, "/v1/notes", body: #"{"note":{"id":1,"text":"\#(text)"}}"#)
        #expect(answer.status == status)
        #expect(notebook.dispatched == (status == 204 ? ["AddNote"] : []))
    }

    @Test(arguments: [(99, 204), (100, 204), (101, 413)])
    func `a body of bytes has its own maximum size`(count: Int, status: Int) async throws {
        let options = MountOptions(maximumJSONBody: 10, maximumBytesBody: 100)
        let client = RouterHTTPClient(try Router.notes(notebook, options: options))
        let body = String(repeating: "x", count: count)
        #expect(try await client.ask(.put, "/v1/picture", [.contentType: "image/gif"], body: body).status == status)
    }

    @Test(arguments: [
        (HTTPField.Name.ifNoneMatch, "*"), (.ifMatch, #""tag""#), (.ifUnmodifiedSince, "Sat, 21 Nov 2026 00:00:00 GMT"),
    ])
    func `a command with a precondition is refused, because nothing checks it`(
        name: HTTPField.Name,
        value: String
    ) async throws {
        let notebook = Notebook()
        let client = RouterHTTPClient(try Router.notes(notebook))
        let answer = try await client.ask(.post, "/v1/notes", [name: value], body: #"{"note":{"id":1,"text":"one"}}"#)
        #expect(answer.status == 412)
        #expect(answer.problem?.detail == "\(name) cannot be checked for a command. Send it without.")
        #expect(notebook.dispatched == [])
    }
}

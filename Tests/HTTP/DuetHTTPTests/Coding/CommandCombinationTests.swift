import Duet
import DuetHTTP
import Foundation
import HTTPTypes
import Testing

/// Every combination of the command protocols carries every property, with every method.
struct CommandCombinationTests {
    protocol Verb { static var method: CommandMethod { get } }
    enum Post: Verb { static let method = CommandMethod.post }
    enum Put: Verb { static let method = CommandMethod.put }
    enum Patch: Verb { static let method = CommandMethod.patch }
    enum Delete: Verb { static let method = CommandMethod.delete }

    struct Content: Codable, Hashable { var text = "t" }

    struct Plain<V: Verb>: HTTPCommand, Hashable {
        static var route: CommandRoute<Self> { CommandRoute<Self>(V.method, "c") }
        var note: String? = "n"
        var tags = ["a", "b"]
    }

    struct WithID<V: Verb>: IDCommand, Hashable {
        static var route: CommandRoute<Self> { CommandRoute<Self>(V.method, "c") }
        var id = 7
        var note: String? = "n"
    }

    struct WithIDInPath<V: Verb>: IDCommand, Hashable {
        static var route: CommandRoute<Self> { CommandRoute<Self>(V.method, "c/{id}") }
        var id = 7
        var note: String? = "n"
    }

    struct WithBody<V: Verb>: BodyCommand, Hashable {
        static var route: CommandRoute<Self> { CommandRoute<Self>(V.method, "c") }
        var body = Content()
        var note: String? = "n"
    }

    struct WithBytes<V: Verb>: BodyCommand, Hashable {
        static var route: CommandRoute<Self> { CommandRoute<Self>(V.method, "c") }
        var body = HTTPBytes(Data("b".utf8), mediaType: "text/plain")
        var note: String? = "n"
    }

    struct WithIDAndBody<V: Verb>: IDCommand, BodyCommand, Hashable {
        static var route: CommandRoute<Self> { CommandRoute<Self>(V.method, "c/{id}") }
        var id = 7
        var body = Content()
        var note: String? = "n"
    }

    struct WithIDAndBytes<V: Verb>: IDCommand, BodyCommand, Hashable {
        static var route: CommandRoute<Self> { CommandRoute<Self>(V.method, "c") }
        var id = 7
        var body = HTTPBytes(Data("b".utf8), mediaType: "text/plain")
        var note: String? = "n"
    }

    private func check<C: HTTPCommand & Equatable>(_ command: C, _ path: String, _ body: String?, _ type: String?)
        throws
    {
        let journey = try Journey(C.self)
        let sent = try journey.coder.encode(command)
        #expect(sent.path == path)
        #expect(sent.body.map { String(decoding: $0, as: UTF8.self) }.map(Self.sorted) == body, "\(C.self)")
        #expect(sent.headers[.contentType] == type)
        let end = try journey.end(of: command)
        #expect(end == command)
    }

    /// JSON objects have no order.
    private static func sorted(_ text: String) -> String {
        guard let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)),
            let data = try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
        else { return text }
        return String(decoding: data, as: UTF8.self)
    }

    private func check<V: Verb>(contentOf verb: V.Type) throws {
        let json = "application/json"
        try check(Plain<V>(), "c", #"{"note":"n","tags":["a","b"]}"#, json)
        try check(WithID<V>(), "c", #"{"id":7,"note":"n"}"#, json)
        try check(WithIDInPath<V>(), "c/7", #"{"note":"n"}"#, json)
        try check(WithBody<V>(), "c?note=n", #"{"text":"t"}"#, json)
        try check(WithBytes<V>(), "c?note=n", "b", "text/plain")
        try check(WithIDAndBody<V>(), "c/7?note=n", #"{"text":"t"}"#, json)
        try check(WithIDAndBytes<V>(), "c?id=7&note=n", "b", "text/plain")
    }

    @Test func `every combination carries every property with POST`() throws { try check(contentOf: Post.self) }
    @Test func `every combination carries every property with PUT`() throws { try check(contentOf: Put.self) }
    @Test func `every combination carries every property with PATCH`() throws { try check(contentOf: Patch.self) }

    @Test func `every combination carries every property in the query of a DELETE`() throws {
        try check(Plain<Delete>(), "c?note=n&tags=a&tags=b", nil, nil)
        try check(WithID<Delete>(), "c?id=7&note=n", nil, nil)
        try check(WithIDInPath<Delete>(), "c/7?note=n", nil, nil)
    }

    @Test func `a DELETE with a body is refused`() {
        #expect(throws: InvalidMessageAPI.self) { try HTTPAPI { WithBody<Delete>.self } }
        #expect(throws: InvalidMessageAPI.self) { try HTTPAPI { WithIDAndBytes<Delete>.self } }
    }
}

import Duet
import DuetHTTP
import DuetTesting
import Foundation
import Testing

/// The law `decode(route(encode(message))) == message`, with generated values.
struct RoundTripTests {
    struct Search: HTTPQuery, Hashable {
        typealias Value = Int
        static let route: QueryRoute<Self> = .get("v1/{id}/search/{name}")
        let id: UUID
        let name: String
        let all: Everything
        let maybeAll: Int?
    }

    struct Post: HTTPCommand, Hashable {
        static let route: CommandRoute<Self> = .post("v1/{id}/posts/{image_url}")
            .parameterNames(["imageName": "image_url"])
        let imageName: String
        let id: Int64
        let all: Everything
        let list: [Everything]
        let byName: [String: Everything.Inner]
        let byColour: [Int: Everything.Shape]
        let maybeAll: Everything?
    }

    struct Remove: HTTPCommand, Hashable {
        static let route: CommandRoute<Self> = .delete("v1/{id}")
        let id: String
        let all: Everything
    }

    struct Publish: BodyCommand, Hashable {
        static let route: CommandRoute<Self> = .put("v1/{id}/image")
        let id: String
        let note: String?
        let body: HTTPBytes
    }

    struct Replace: BodyCommand, Hashable {
        static let route: CommandRoute<Self> = .patch("v1/{id}/object").bodyProperty("content")
        var body: [Everything]? { content }
        let id: String
        let tags: [String]?
        let content: [Everything]?
    }

    struct Note<Body: Codable & Hashable & Sendable>: BodyCommand, Hashable {
        static var route: CommandRoute<Self> { .put("v1/notes") }
        let body: Body
    }

    static let codings: [HTTPCoding] = [
        HTTPCoding(), HTTPCoding(keys: .snakeCase),
    ]

    private func check<Message: HTTPMessage & Equatable>(
        _ endpoint: MessageAPI.Entry,
        _ coding: HTTPCoding,
        _ seed: UInt64,
        make: (inout SeededGenerator) -> Message
    ) throws {
        let journey = try Journey<Message>(endpoint, settings: HTTPSettings(coding: coding))
        var generator = SeededGenerator(seed: seed)
        for round in 0..<300 {
            let message = make(&generator)
            do {
                let end = try journey.end(of: message)
                try #require(end == message, "seed \(seed), round \(round)")
            } catch {
                Issue.record("\(error), seed \(seed), round \(round)")
                throw error
            }
        }
    }

    @Test(arguments: codings, [1, 2]) func `a query is read as it was sent`(_ coding: HTTPCoding, _ seed: UInt64)
        throws
    {
        try check(.open(Search.self), coding, seed) { generator in
            Search(
                id: generator.uuid(),
                name: generator.segment(),
                all: generator.everything(),
                maybeAll: generator.optional { $0.integer() }
            )
        }
    }

    @Test(arguments: codings, [3, 4]) func `a command is read as it was sent`(_ coding: HTTPCoding, _ seed: UInt64)
        throws
    {
        try check(.open(Post.self), coding, seed) { generator in
            Post(
                imageName: generator.segment(),
                id: generator.integer(),
                all: generator.everything(),
                list: generator.list { $0.everything() },
                byName: [
                    generator.text(): .init(innerNumbers: [1]), "someKey": .init(innerText: "", innerNumbers: []),
                ],
                byColour: [generator.integer(): generator.everything().shape],
                maybeAll: generator.optional { $0.everything() }
            )
        }
    }

    @Test(arguments: codings, [5, 6]) func `a DELETE is read as it was sent`(_ coding: HTTPCoding, _ seed: UInt64)
        throws
    {
        try check(.open(Remove.self), coding, seed) { Remove(id: $0.segment(), all: $0.everything()) }
    }

    @Test(arguments: codings, [7, 8]) func `bytes are read as they were sent`(_ coding: HTTPCoding, _ seed: UInt64)
        throws
    {
        try check(.open(Publish.self), coding, seed) { generator in
            Publish(
                id: generator.segment(),
                note: generator.optional { $0.text() },
                body: HTTPBytes(generator.data(), mediaType: "image/png; x=\"a b\"")
            )
        }
    }

    @Test(arguments: codings, [9, 10]) func `a separate body is read as it was sent`(
        _ coding: HTTPCoding,
        _ seed: UInt64
    ) throws {
        try check(.open(Replace.self), coding, seed) { generator in
            Replace(
                id: generator.segment(),
                tags: generator.optional { $0.list { $0.text() } },
                content: generator.optional { $0.list { $0.everything() } }
            )
        }
    }

    @Test func `a body of one value is read as it was sent`() throws {
        try check(.open(Note<String>.self), HTTPCoding(), 1) { Note<String>(body: $0.text()) }
        try check(.open(Note<Int64>.self), HTTPCoding(), 2) { Note<Int64>(body: $0.integer()) }
        try check(.open(Note<Int>.self), HTTPCoding(), 3) { Note<Int>(body: Int(truncatingIfNeeded: $0.next())) }
        try check(.open(Note<Bool>.self), HTTPCoding(), 4) { Note<Bool>(body: $0.next() % 2 == 0) }
        try check(.open(Note<Double>.self), HTTPCoding(), 5) { Note<Double>(body: Double($0.next()) / 1_024) }
        try check(.open(Note<UUID>.self), HTTPCoding(), 6) { Note<UUID>(body: $0.uuid()) }
        try check(.open(Note<String?>.self), HTTPCoding(), 7) { Note<String?>(body: $0.optional { $0.text() }) }
    }

    @Test(arguments: 11...14) func `dates are read back exactly, down to the last bit`(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for round in 0..<5_000 {
            let date = generator.date()
            let text = try #require(date.rfc3339())
            try #require(Date(rfc3339: text) == date, "\(text), seed \(seed), round \(round)")
        }
    }
}

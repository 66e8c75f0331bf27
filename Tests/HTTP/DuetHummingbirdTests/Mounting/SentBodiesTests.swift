import DuetHTTP
import DuetHummingbird
import Foundation
import HTTPTypes
import Testing

struct SentBodiesTests {
    private let bodies = SentBodies()

    private func response(_ size: Int, tag: String = "\"1\"") -> ServedResponse {
        ServedResponse(status: .ok, headers: [.eTag: tag], body: Data(repeating: 1, count: size))
    }

    @Test
    func `content that is being sent is shared by its digest`() throws {
        let first = try #require(bodies.content(of: response(SentBodies.size)))
        #expect(bodies.content(of: response(SentBodies.size)) === first)
        #expect(bodies.content(of: response(SentBodies.size, tag: "\"2\"")) !== first)
    }

    @Test
    func `content is forgotten with its last response`() throws {
        weak let sent = bodies.content(of: response(SentBodies.size))
        #expect(sent == nil)
        let again = try #require(bodies.content(of: response(SentBodies.size)))
        #expect(again.data.count == SentBodies.size)
    }

    @Test
    func `small content, and content whose tag is no digest, are not shared`() {
        #expect(bodies.content(of: response(SentBodies.size - 1)) == nil)
        var tagged = response(SentBodies.size)
        tagged.entityTag = "version 1"
        #expect(bodies.content(of: tagged) == nil)
        #expect(bodies.content(of: ServedResponse(status: .ok, body: Data(count: SentBodies.size))) == nil)
    }

    @Test
    func `a part of content is not taken for the whole, and neither the whole for a part`() throws {
        let whole = try #require(bodies.content(of: response(2 * SentBodies.size)))
        var part = response(SentBodies.size)
        part.status = .partialContent
        #expect(bodies.content(of: part) == nil)
        #expect(bodies.content(of: response(2 * SentBodies.size)) === whole)
    }

    @Test
    func `many responses with one content begin and end at the same time`() async {
        let response = response(SentBodies.size)
        await withTaskGroup(of: Void.self) { group in
            for _ in 1...8 {
                group.addTask { for _ in 1...5_000 { _ = bodies.content(of: response) } }
            }
        }
        weak let sent = bodies.content(of: response)
        #expect(sent == nil)
    }
}

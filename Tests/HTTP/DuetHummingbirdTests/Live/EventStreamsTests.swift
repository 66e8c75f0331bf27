import Duet
import DuetCaching
import DuetHTTP
import DuetHummingbird
import DuetTesting
import Foundation
import HTTPTypes
import Hummingbird
import Testing

/// Events of a custom route.
@Suite struct EventStreamsTests {
    private let world: LiveWorld

    init() throws {
        world = try LiveWorld()
        let dispatcher = world.dispatcher
        let streams = EventStreams(LiveOptions(streamsPerClient: 1), clock: world.clock)
        world.router.get("/count") { request, _ in
            let states = dispatcher.observe(LoadTopics(room: "a"))
            return streams.response(to: request, with: states.map { Data("\($0.count)".utf8) })
        }
    }

    private func events(_ body: HTTPBody) -> AsyncStream<ServerSentEvent> {
        let (events, continuation) = AsyncStream.makeStream(of: ServerSentEvent.self)
        let reading = Task {
            var parser = EventParser(limit: 1_000)
            for try await piece in body { for event in try parser.read(piece) { continuation.yield(event) } }
            continuation.finish()
        }
        continuation.onTermination = { _ in reading.cancel() }
        return events
    }

    @Test func `each change is an event, whose identifier a client names when it returns`() async throws {
        let client = RouterHTTPClient(world.router)
        var id: String?
        do {
            let (response, body) = try await world.open("/count", through: client)
            #expect(response.status == .ok)
            #expect(response.headerFields[.contentType] == "text/event-stream")
            var events = events(body).makeAsyncIterator()
            #expect(await events.next()?.data == Data("1".utf8))
            try await world.dispatcher.dispatch(AddTopic(room: "a", topic: "Duet"))
            let last = await events.next()
            #expect(last?.data == Data("2".utf8))
            id = last?.id
        }
        let name = try #require(HTTPField.Name("Last-Event-ID"))
        // The place of the first stream becomes free when its end has been noticed.
        while true {
            let (response, body) = try await world.open("/count", [name: try #require(id)], through: client)
            guard response.status == .ok else {
                #expect(response.status == .tooManyRequests)
                await Task.yield()
                continue
            }
            var events = events(body).makeAsyncIterator()
            try await world.dispatcher.dispatch(AddTopic(room: "a", topic: "CQS"))
            #expect(await events.next()?.data == Data("3".utf8))
            break
        }
    }

    @Test func `a client beyond its limit is refused`() async throws {
        let client = RouterHTTPClient(world.router)
        let (first, body) = try await world.open("/count", through: client)
        let (second, _) = try await world.open("/count", through: client)
        #expect(first.status == .ok)
        #expect(second.status == .tooManyRequests)
        withExtendedLifetime(body) {}
    }
}

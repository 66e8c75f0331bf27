import Duet
import DuetHTTP
import DuetTesting
import HTTPTypes
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LiveErrorTests {
    struct NoSuchRoom: HTTPProblem, Equatable {
        static let problemType = "https://example.com/problems/no-such-room"
        let room: String
        var status: HTTPResponse.Status { .notFound }
    }

    struct LoadGuests: HTTPQuery, Hashable {
        typealias Value = [String]
        static let route: QueryRoute<Self> = .get("rooms/{room}/guests").live().throwing(NoSuchRoom.self)
        let room: String
    }

    @Test func `a declared error ends a stream`() async throws {
        let client = MockHTTPClient()
        client.expect(.get, "/rooms/a/guests", problem: NoSuchRoom(room: "a"))
        let url = try BaseURL("http://localhost:8090")
        let remote = HTTPDispatcher(baseURL: url, client: client, clock: ManualClock())
        var errors: [any Error] = []
        for await state in remote.observe(LoadGuests(room: "a")) { if let error = state.error { errors.append(error) } }
        #expect(errors as? [NoSuchRoom] == [NoSuchRoom(room: "a")])
        #expect(client.missing == [])
    }
}

import Duet
import DuetHTTP
import DuetTesting
import HTTPTypes
import Testing

/// The middleware of the guide, with a client that stands for PocketBase.
struct PocketBaseErrorsTests {
    private let json = #"{"status": 503, "message": "Busy.", "data": {}}"#

    @Test(arguments: [400, 403, 409])
    func `a refusal is PocketBase's own error`(status: Int) async throws {
        await #expect(throws: PocketBaseError.self) { try await dispatch(status) }
    }

    @Test(arguments: [429, 500, 503])
    func `a temporary failure stays temporary, so that a queue of commands tries again`(status: Int) async throws {
        let failure = await #expect(throws: HTTPFailure.self) { try await dispatch(status) }
        #expect(failure?.isTemporary == true)
    }

    private func dispatch(_ status: Int) async throws {
        let client = MockHTTPClient()
        client.expect(.post, "/api/collections/speakers/records", status: .init(code: status), json: json)
        try await HTTPDispatcher(baseURL: BaseURL("http://127.0.0.1:8090"), client: client)
            .with(PocketBaseErrors())
            .dispatch(AddSpeaker(id: "speaker00000014", name: "Anna", talks: 1))
    }
}

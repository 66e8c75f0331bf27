import Duet
import DuetCaching
import DuetHTTP
import DuetTesting
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// Values as the member of an object, on both sides.
struct EnvelopeTests {
    struct Note: Codable, Hashable { var noteID = 1 }

    struct GetNote: HTTPQuery, Hashable {
        typealias Value = Note?
        static let route: QueryRoute<Self> = .get("notes/{id}").envelope("theNote").live()
        var id = 1
    }

    struct ListNotes: HTTPQuery, Hashable {
        typealias Value = [Note]
        static let route: QueryRoute<Self> = .get("notes").envelope("notes")
    }

    struct CountNotes: HTTPQuery, Hashable {
        typealias Value = Int
        static let route: QueryRoute<Self> = .get("count").envelope("count")
    }

    struct AddNote: HTTPCommand, AnsweredCommand {
        static let route: CommandRoute<Self> = .post("notes")
        var id = 1
        func answer(from content: Note??) -> GetNote? { GetNote(id: id) }
    }

    private let messages = MessageAPI("notes", authorized: .open) {
        GetNote.self
        ListNotes.self
        CountNotes.self
        AddNote.self
    }
    private let settings = HTTPSettings(coding: HTTPCoding(keys: .snakeCase))
    private let shop = SpyDispatcher()
    private let client: RouterClient
    private let remote: HTTPDispatcher

    init() throws {
        client = RouterClient(api: try HTTPAPI(messages, settings), dispatcher: shop)
        let base = try BaseURL("https://notes.example")
        remote = try HTTPDispatcher(messages, baseURL: base, client: client, settings: settings)
    }

    private func content(of query: some HTTPQuery) async throws -> String {
        let path = try MessageCoder(settings).path(query)
        let request = HTTPRequest(method: .get, scheme: "https", authority: "notes.example", path: "/" + path)
        let (response, body) = try await client.data(for: request)
        return "\(response.status.code) " + String(decoding: body, as: UTF8.self)
    }

    @Test func `a value is a member of an object, whose name stays as it is`() async throws {
        shop.stub(ListNotes.self) { _ in [Note(noteID: 7)] }
        shop.stub(GetNote.self) { $0.id == 0 ? nil : Note(noteID: $0.id) }
        shop.stub(CountNotes.self) { _ in 3 }
        #expect(try await content(of: ListNotes()) == #"200 {"notes":[{"note_id":7}]}"#)
        #expect(try await content(of: GetNote(id: 2)) == #"200 {"theNote":{"note_id":2}}"#)
        #expect(try await content(of: GetNote(id: 0)) == "204 ")
        #expect(try await content(of: CountNotes()) == #"200 {"count":3}"#)
        #expect(try await remote.dispatch(ListNotes()) == [Note(noteID: 7)])
        #expect(try await remote.dispatch(GetNote(id: 2)) == Note(noteID: 2))
        #expect(try await remote.dispatch(GetNote(id: 0)) == nil)
        #expect(try await remote.dispatch(CountNotes()) == 3)
    }

    @Test func `an answer has the envelope of its query, also around null`() async throws {
        shop.stub(AddNote.self) { _ in }
        shop.stub(GetNote.self) { $0.id == 0 ? nil : Note(noteID: $0.id) }
        #expect(try await remote.answer(to: AddNote(id: 4)) == Note(noteID: 4))
        #expect(try await remote.answer(to: AddNote(id: 0)) == nil)
    }

    @Test(arguments: [
        (#"{"count": 1, "notes": [{"note_id": 7}]}"#, "1"), (#"{"notes": []}"#, "0"),
        (#"{"notes": null}"#, "notes must not be null"), (#"{"count": 1}"#, "notes is missing"),
        ("[]", "must be an object"),
        (#"{"notes": [{"note_id": 1.5}]}"#, "notes[0].note_id must be a whole number"),
        (#"{"notes": [{}]}"#, "notes[0].note_id is missing"),
    ])
    func `a client ignores other members, and names the path to a fault`(_ body: String, _ outcome: String) async throws
    {
        let remote = try dispatcher(SpyClient(.ok, body), settings)
        do {
            #expect("\(try await remote.dispatch(ListNotes()).count)" == outcome)
        } catch let failure as HTTPFailure {
            #expect("\(failure)".contains(outcome), "\(failure)")
        }
    }
}

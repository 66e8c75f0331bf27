import Duet
import DuetHTTP
import DuetHummingbird
import HTTPTypes
import Hummingbird
import TestSupport
import Testing

@Suite
struct MountTests {
    struct Unspecified: HTTPCommand {
        static let route: CommandRoute<Self> = .post("unspecified")
    }

    private let notebook = Notebook()

    private func faults(
        _ api: MessageAPI,
        at base: String = "/",
        tokens: Tokens? = Tokens(),
        options: MountOptions = MountOptions()
    ) -> [String] {
        do {
            try Router().mount(api, notebook, at: base, authenticator: tokens, options: options)
            return []
        } catch {
            return error.faults
        }
    }

    private func missingRule(of message: any Message.Type) -> String {
        """
        \(message.messageName) has no authorization rule: write \(message).authorized(…) in the list, with .open to let \
        everyone send it.
        """
    }

    @Test
    func `a command without a rule is refused, unless it is declared open`() {
        let fault = missingRule(of: Unspecified.self)
        #expect(faults(MessageAPI("a") { Unspecified.self }) == [fault])
        #expect(faults(MessageAPI("a") { Unspecified.self }, tokens: nil) == [fault])
        #expect(faults(MessageAPI("a") { Unspecified.authorized(.open) }) == [])
        #expect(faults(MessageAPI("a", authorized: .open) { Unspecified.self }) == [])
    }

    @Test
    func `a query without a rule is open without an authenticator, and refused with one`() {
        #expect(faults(MessageAPI("a") { FindNotes.self }, tokens: nil) == [])
        #expect(faults(MessageAPI("a") { FindNotes.self }) == [missingRule(of: FindNotes.self)])
        #expect(faults(MessageAPI("a", authorized: .open) { FindNotes.self }) == [])
    }

    @Test
    func `all faults are reported at once, also those of the mount`() {
        let api = MessageAPI("a") {
            Unspecified.self
            Secret.authorized(.principal)
        }
        let options = MountOptions(maximumJSONBody: -1)
        #expect(faults(api, at: "/ä", options: options).count == 3)
        #expect(faults(.open { Foreign.self }, at: "/ä", options: options).count == 3)
    }

    @Test
    func `a message that the dispatcher has no handler for is refused`() throws {
        struct FindNotesHandler: QueryHandler {
            func handle(_ query: FindNotes) async throws -> [Note] { [] }
        }
        let handling = try StandardDispatcher { FindNotesHandler() }
        let name = AddNote.messageName
        let fault = "\(name) has no handler: give the dispatcher one, or leave the message out of the list."
        let api = MessageAPI.open {
            FindNotes.self; AddNote.self
        }
        func faults(of dispatcher: any Dispatcher, _ api: MessageAPI) -> [String] {
            do {
                try Router().mount(api, dispatcher)
                return []
            } catch {
                return error.faults
            }
        }
        for dispatcher in [handling, handling.validating()] as [any Dispatcher] {
            #expect(faults(of: dispatcher, api) == [fault])
            #expect(faults(of: dispatcher, .open { FindNotes.self }) == [])
        }
    }

    struct Foreign: ThirdPartyQuery {
        struct Payload: Codable { let count: Int }
        typealias Value = Int
        static let route: QueryRoute<Self> = .get("foreign")
        static func value(from payload: Payload, answering query: Self) -> Int { payload.count }
    }

    @Test
    func `a query of a third party is refused`() {
        #expect(faults(.open { Foreign.self }) == ["\(HTTPMessageError.notServed(message: Foreign.messageName))"])
    }

    @Test
    func `a rule that needs a principal needs an authenticator`() throws {
        let faults = faults(
            .open {
                Secret.authorized(.principal)
                AddNote.self
                RemoveNote.authorized(.scope("notes:remove"))
            },
            tokens: nil
        )
        #expect(faults.count == 2)
        #expect(faults.first?.hasPrefix("\(Secret.messageName) requires a principal") == true)
        #expect(faults.last?.hasPrefix("\(RemoveNote.messageName) requires a principal") == true)
    }

    @Test(arguments: [
        "*", "null", "example.org", "https://", "https://example.org/", "https://*.example.org", "HTTPS://a",
        "https://a b",
    ])
    func `a text that is not an origin is refused`(origin: String) {
        #expect(faults(.notes, options: MountOptions(cors: CORSPolicy(origins: [origin]))).count == 1)
    }

    @Test(arguments: ["https://example.org", "http://localhost:8080", "http://[::1]:80", "app://page"])
    func `an origin is accepted`(origin: String) {
        #expect(faults(.notes, options: MountOptions(cors: CORSPolicy(origins: [origin]))) == [])
    }

    @Test(arguments: [(-1, 1), (0, 0), (1, 0)])
    func `the maximum age of a policy is not negative`(milliseconds: Int, faults: Int) {
        let cors = CORSPolicy(origins: ["https://example.org"], maximumAge: .milliseconds(milliseconds))
        #expect(self.faults(.notes, options: MountOptions(cors: cors)).count == faults)
    }

    @Test
    func `impossible limits are refused`() {
        #expect(faults(.notes, options: MountOptions(maximumJSONBody: -1)).count == 1)
        #expect(faults(.notes, options: MountOptions(maximumJSONBody: 0, maximumBytesBody: 0)) == [])
        #expect(faults(.notes, options: MountOptions(maximumDuration: .zero)).count == 1)
        #expect(faults(.notes, at: "/a?b").count == 1)
        #expect(faults(.notes, at: "/ä").count == 1)
        #expect(faults(.notes, at: "a/b%20c") == [])
    }
}

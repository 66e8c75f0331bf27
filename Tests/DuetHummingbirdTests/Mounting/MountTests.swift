import Duet
import DuetHTTP
import DuetHummingbird
import DuetTesting
import HTTPTypes
import Hummingbird
import Testing

@Suite
struct MountTests {
    struct Unspecified: HTTPCommand {
        static let route: CommandRoute<Self> = .post("unspecified")
    }

    private let notebook = Notebook()

    private func faults(
        _ api: HTTPAPI,
        at base: String = "/",
        tokens: Tokens? = Tokens(),
        options: MountOptions = MountOptions()
    ) -> [String] {
        do {
            try Router().mount(notebook, api, at: base, authenticator: tokens, options: options)
            return []
        } catch {
            return error.faults
        }
    }

    @Test
    func `a command without a rule is refused, unless it is declared open`() throws {
        let name = Unspecified.messageName
        let fault =
            "\(name) has no authorization rule: add .authorized(…) to its route, with .open to let everyone send it."
        #expect(try faults(HTTPAPI { Unspecified.self }) == [fault])
        #expect(try faults(HTTPAPI { Unspecified.self }, tokens: nil) == [fault])
        #expect(try faults(HTTPAPI { HTTPEndpoint(Unspecified.self, authorize: .open) }) == [])
        #expect(try faults(HTTPAPI(HTTPSettings(authorize: .open)) { Unspecified.self }) == [])
    }

    @Test
    func `a query without a rule is open without an authenticator, and refused with one`() throws {
        let name = FindNotes.messageName
        let fault =
            "\(name) has no authorization rule: add .authorized(…) to its route, with .open to let everyone send it."
        #expect(try faults(HTTPAPI { FindNotes.self }, tokens: nil) == [])
        #expect(try faults(HTTPAPI { FindNotes.self }) == [fault])
        #expect(try faults(HTTPAPI(HTTPSettings(authorize: .open)) { FindNotes.self }) == [])
    }

    @Test
    func `a message that the dispatcher has no handler for is refused`() throws {
        struct FindNotesHandler: QueryHandler {
            func handle(_ query: FindNotes) async throws -> [Note] { [] }
        }
        let handling = try StandardDispatcher { FindNotesHandler() }
        let name = AddNote.messageName
        let fault = "\(name) has no handler: give the dispatcher one, or leave the message out of the API."
        let api = try HTTPAPI {
            FindNotes.self; AddNote.self
        }
        func faults(of dispatcher: any Dispatcher, _ api: HTTPAPI) -> [String] {
            do {
                try Router().mount(dispatcher, api)
                return []
            } catch {
                return error.faults
            }
        }
        for dispatcher in [handling, handling.with(.validation)] as [any Dispatcher] {
            #expect(faults(of: dispatcher, api) == [fault])
            #expect(try faults(of: dispatcher, HTTPAPI { FindNotes.self }) == [])
        }
    }

    struct Foreign: ThirdPartyQuery {
        struct Payload: Codable { let count: Int }
        typealias Value = Int
        static let route: QueryRoute<Self> = .get("foreign")
        static func value(from payload: Payload, answering query: Self) -> Int { payload.count }
    }

    @Test
    func `a query of a third party is refused`() throws {
        #expect(try faults(HTTPAPI { Foreign.self }) == ["\(HTTPMessageError.notServed(message: Foreign.messageName))"])
    }

    @Test
    func `a rule that needs a principal needs an authenticator`() throws {
        let faults = try faults(
            HTTPAPI {
                Secret.self; AddNote.self; RemoveNote.self
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
    func `a text that is not an origin is refused`(origin: String) throws {
        #expect(try faults(.notes(), options: MountOptions(cors: CORSPolicy(origins: [origin]))).count == 1)
    }

    @Test(arguments: ["https://example.org", "http://localhost:8080", "http://[::1]:80", "app://page"])
    func `an origin is accepted`(origin: String) throws {
        #expect(try faults(.notes(), options: MountOptions(cors: CORSPolicy(origins: [origin]))) == [])
    }

    @Test(arguments: [(-1, 1), (0, 0), (1, 0)])
    func `the maximum age of a policy is not negative`(milliseconds: Int, faults: Int) throws {
        let cors = CORSPolicy(origins: ["https://example.org"], maximumAge: .milliseconds(milliseconds))
        #expect(try self.faults(.notes(), options: MountOptions(cors: cors)).count == faults)
    }

    @Test
    func `impossible limits are refused`() throws {
        #expect(try faults(.notes(), options: MountOptions(maximumJSONBody: -1)).count == 1)
        #expect(try faults(.notes(), options: MountOptions(maximumJSONBody: 0, maximumBytesBody: 0)) == [])
        #expect(try faults(.notes(), options: MountOptions(maximumDuration: .zero)).count == 1)
        #expect(try faults(.notes(), at: "/a?b").count == 1)
        #expect(try faults(.notes(), at: "/ä").count == 1)
        #expect(try faults(.notes(), at: "a/b%20c") == [])
    }
}

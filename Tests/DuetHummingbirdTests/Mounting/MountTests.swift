import Duet
import DuetHTTP
import DuetHummingbird
import DuetTesting
import HTTPTypes
import Hummingbird
import Testing

@Suite
struct MountTests {
    struct Unsaid: HTTPCommand {
        static let path = "unsaid"
        static let method = CommandMethod.post
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
    func `a command without a rule is refused, unless it is said to be open`() throws {
        let name = Unsaid.messageName
        #expect(try faults(HTTPAPI { Unsaid.self }) == ["\(name) has no authorise rule: give it one, or say .open."])
        #expect(try faults(HTTPAPI { HTTPEndpoint(Unsaid.self, authorise: .open) }) == [])
        #expect(try faults(HTTPAPI(HTTPSettings(authorise: .open)) { Unsaid.self }) == [])
        #expect(try faults(HTTPAPI { FindNotes.self }, tokens: nil) == [])
    }

    struct Foreign: ForeignQuery {
        struct Payload: Codable { let count: Int }
        typealias Value = Int
        static let path = "foreign"
        static func value(from payload: Payload, answering query: Self) -> Int { payload.count }
    }

    @Test
    func `a query that only somebody else answers is refused`() throws {
        #expect(try faults(HTTPAPI { Foreign.self }) == ["\(HTTPMessageError.notServed(message: Foreign.messageName))"])
    }

    @Test
    func `a rule that asks for a principal needs an authenticator`() throws {
        let faults = try faults(
            HTTPAPI {
                Secret.self; AddNote.self; RemoveNote.self
            },
            tokens: nil
        )
        #expect(faults.count == 2)
        #expect(faults.first?.hasPrefix("\(Secret.messageName) asks for a principal") == true)
        #expect(faults.last?.hasPrefix("\(RemoveNote.messageName) asks for a principal") == true)
    }

    @Test(arguments: [
        "*", "null", "example.org", "https://", "https://example.org/", "https://*.example.org", "HTTPS://a",
        "https://a b",
    ])
    func `what is no origin is refused`(origin: String) throws {
        #expect(try faults(.notes(), options: MountOptions(cors: CORSPolicy(origins: [origin]))).count == 1)
    }

    @Test(arguments: ["https://example.org", "http://localhost:8080", "http://[::1]:80", "app://page"])
    func `an origin is accepted`(origin: String) throws {
        #expect(try faults(.notes(), options: MountOptions(cors: CORSPolicy(origins: [origin]))) == [])
    }

    @Test(arguments: [(-1, 1), (0, 0), (1, 0)])
    func `what a browser is allowed is remembered for no less than no time`(milliseconds: Int, faults: Int) throws {
        let cors = CORSPolicy(origins: ["https://example.org"], maximumAge: .milliseconds(milliseconds))
        #expect(try self.faults(.notes(), options: MountOptions(cors: cors)).count == faults)
    }

    @Test
    func `limits that nothing could keep are refused`() throws {
        #expect(try faults(.notes(), options: MountOptions(maximumJSONBody: -1)).count == 1)
        #expect(try faults(.notes(), options: MountOptions(maximumJSONBody: 0, maximumBytesBody: 0)) == [])
        #expect(try faults(.notes(), options: MountOptions(maximumDuration: .zero)).count == 1)
        #expect(try faults(.notes(), at: "/a?b").count == 1)
        #expect(try faults(.notes(), at: "/ä").count == 1)
        #expect(try faults(.notes(), at: "a/b%20c") == [])
    }
}

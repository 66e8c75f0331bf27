#if Cluster && Hummingbird
    package import Duet
    import DuetCaching
    package import DuetHTTP
    package import DuetTesting
    package import HTTPTypes
    import Synchronization

    extension MemoStore {
        package static let messages = MessageAPI("notes") {
            ListMemos.authorized(.open)
            AddMemo.authorized(.principal)
            RemoveMemo.authorized(.scope("admin")).ordered(by: \.text)
            MineOnly.authorized(.when { $1.hasID($0.owner) })
            CountMemos.authorized(.nodes).not(over: .http)
        }

        static let ada = Principal(id: "ada", scopes: ["admin"])
        package static let grace = Principal(id: "grace")

        /// The outcomes of the messages, for strangers, for the wrong person, and with invalid values.
        package static let suite = MessageSuite(messages) {
            Example(ListMemos(), returns: ["Milk"])
            Example(AddMemo(text: "Bread"), throws: AuthorizationError.unauthenticated)
            Example(AddMemo(text: "Bread"), then: ListMemos(), returns: ["Milk", "Bread"]).sent(by: grace)
            Example(AddMemo(text: ""), throws: EmptyMemo()).sent(by: grace)
            Example(AddMemo(text: ""), throws: EmptyMemo())
            Example(AddMemo(text: "!"), throws: NoSigns()).sent(by: grace)
            Example(RemoveMemo(text: "Milk"), throws: AuthorizationError.unauthenticated)
            Example(RemoveMemo(text: "Milk"), throws: AuthorizationError.forbidden).sent(by: grace)
            Example(RemoveMemo(text: "Milk"), then: ListMemos(), returns: []).sent(by: ada)
            Example(MineOnly(owner: "grace"), returns: "grace").sent(by: grace)
            Example(MineOnly(owner: "ada"), throws: AuthorizationError.forbidden).sent(by: grace)
            Example(MineOnly(owner: "ada"), throws: AuthorizationError.unauthenticated)
        }

        /// A cache in front of the handlers.
        package static let cache = Place.cache {
            try QueryCache(in: .memory(limit: .entries(100))) {
                Cache(ListMemos.self, .maxAge(.minutes(5)), scope: .shared)
                Cache(MineOnly.self, .maxAge(.minutes(5)))
                Invalidate(ListMemos.self, after: AddMemo.self, RemoveMemo.self)
            }
        }
    }

    package struct ListMemos: HTTPQuery, Hashable {
        package typealias Value = [String]
        package static let route: QueryRoute<Self> = .get("memos").live()

        package init() {}
    }

    package struct MineOnly: HTTPQuery, Hashable {
        package typealias Value = String
        package static let route: QueryRoute<Self> = .get("memos/{owner}")

        package let owner: String

        package init(owner: String) { self.owner = owner }
    }

    package struct CountMemos: HTTPQuery {
        package typealias Value = Int
        package static let route: QueryRoute<Self> = .get("count")

        package init() {}
    }

    package struct AddMemo: HTTPCommand, Validatable {
        package static let route: CommandRoute<Self> = .post("memos").throwing(EmptyMemo.self)

        package let text: String

        package init(text: String) { self.text = text }

        package func validate() throws {
            if text.isEmpty { throw EmptyMemo() }
            if text == "!" { throw NoSigns() }
        }
    }

    package struct RemoveMemo: HTTPCommand {
        package static let route: CommandRoute<Self> = .delete("memos/{text}")

        package let text: String

        package init(text: String) { self.text = text }
    }

    package struct EmptyMemo: HTTPProblem, Hashable {
        package static let problemType = "urn:test:empty-memo"
        package var status: HTTPResponse.Status { .unprocessableContent }
    }

    package struct NoSigns: Error, Equatable, CustomStringConvertible {
        package var description: String { "Memos have no signs." }
    }

    package final class MemoStore: Sendable {
        private let state = Mutex(["Milk"])

        package var texts: [String] { state.withLock(\.self) }

        package init() {}

        package func dispatcher() throws -> some Dispatcher {
            try StandardDispatcher {
                ListMemosHandler(memos: self)
                MineOnlyHandler()
                CountMemosHandler(memos: self)
                AddMemoHandler(memos: self)
                RemoveMemoHandler(memos: self)
            }
        }

        func change(_ body: (inout [String]) -> Void) { state.withLock { body(&$0) } }
    }

    private struct ListMemosHandler: QueryHandler {
        let memos: MemoStore
        func handle(_ query: ListMemos) async throws -> [String] { memos.texts }
    }

    private struct MineOnlyHandler: QueryHandler {
        func handle(_ query: MineOnly) async throws -> String { query.owner }
    }

    private struct CountMemosHandler: QueryHandler {
        let memos: MemoStore
        func handle(_ query: CountMemos) async throws -> Int { memos.texts.count }
    }

    private struct AddMemoHandler: CommandHandler {
        let memos: MemoStore
        func handle(_ command: AddMemo) async throws { memos.change { $0.append(command.text) } }
    }

    private struct RemoveMemoHandler: CommandHandler {
        let memos: MemoStore
        func handle(_ command: RemoveMemo) async throws { memos.change { $0.removeAll { $0 == command.text } } }
    }
#endif

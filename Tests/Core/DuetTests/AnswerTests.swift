import Duet
import Synchronization
import Testing

/// Tests of commands that are answered with the value of a query.
@Suite struct AnswerTests {
    private struct Page: PayloadQuery, Hashable {
        typealias Value = String
        let number: Int
    }

    /// Only the handler knows the number.
    private struct Write: AnsweredCommand {
        let text: String
        func answer(from content: String?) -> Page? { nil }
    }

    /// The command itself tells the number.
    private struct Rewrite: AnsweredCommand {
        let number: Int
        let text: String
        func answer(from content: String?) -> Page? { Page(number: number) }
    }

    private final class Book: Sendable {
        let pages = Mutex<[String]>([])
        let messages = Mutex<[String]>([])
    }

    private struct WriteHandler: AnsweringHandler {
        let book: Book
        func handle(_ command: Write) async throws -> Page {
            if command.text.isEmpty { throw Blank() }
            return book.pages.withLock { pages in
                pages.append(command.text)
                return Page(number: pages.count)
            }
        }
    }

    private struct RewriteHandler: CommandHandler {
        let book: Book
        func handle(_ command: Rewrite) async throws {
            book.pages.withLock { $0[command.number - 1] = command.text }
        }
    }

    private struct PageHandler: QueryHandler {
        let book: Book
        func handle(_ query: Page) async throws -> String {
            try book.pages.withLock { pages in
                guard pages.indices.contains(query.number - 1) else { throw Blank() }
                return pages[query.number - 1]
            }
        }
    }

    private struct Blank: Error {}

    private struct Recording: Middleware {
        let book: Book
        func dispatch<M: Message>(_ message: M, next: some Dispatcher) async throws -> M.Value {
            book.messages.withLock { $0.append("\(M.self)") }
            return try await next.dispatch(message)
        }
    }

    private let book = Book()
    private let dispatcher: any Dispatcher

    init() throws {
        let book = book
        dispatcher = try StandardDispatcher {
            WriteHandler(book: book)
            RewriteHandler(book: book)
            PageHandler(book: book)
        }.with(Recording(book: book))
    }

    @Test func `the handler names the query that answers its command`() async throws {
        #expect(try await dispatcher.answer(to: Write(text: "One")) == "One")
        #expect(try await dispatcher.answer(to: Write(text: "Two")) == "Two")
        #expect(book.messages.withLock(\.self) == ["Write", "Page", "Write", "Page"])
    }

    @Test func `a command tells its query to any handler`() async throws {
        try await dispatcher.dispatch(Write(text: "One"))
        #expect(try await dispatcher.answer(to: Rewrite(number: 1, text: "Uno")) == "Uno")
        #expect(book.messages.withLock(\.self) == ["Write", "Rewrite", "Page"])
    }

    @Test func `an error of the command stays as it is`() async throws {
        await #expect(throws: Blank.self) { try await dispatcher.answer(to: Write(text: "")) }
        #expect(book.messages.withLock(\.self) == ["Write"])
    }

    @Test func `an error of the query says that the command has succeeded`() async throws {
        try await dispatcher.dispatch(Write(text: "One"))
        let forgetful = try StandardDispatcher {
            RewriteHandler(book: book)
        }
        let error = await #expect(throws: AnswerUnavailable.self) {
            try await forgetful.answer(to: Rewrite(number: 1, text: "Uno"))
        }
        #expect(error?.reason is DispatchError)
        #expect(error?.command.hasSuffix("Rewrite") == true)
        #expect(error?.description.contains("Rewrite has succeeded, and must not be dispatched again, but ") == true)
        #expect(book.pages.withLock(\.self) == ["Uno"])
    }

    @Test func `a query that nobody names says that the command has succeeded`() async throws {
        struct Silent: CommandHandler {
            func handle(_ command: Write) async throws {}
        }
        let silent = try StandardDispatcher { Silent() }
        let error = await #expect(throws: AnswerUnavailable.self) { try await silent.answer(to: Write(text: "One")) }
        #expect(error?.description.contains("no query is known") == true)
    }

    @Test func `a canceled caller gets its cancellation, and a query that was canceled elsewhere is none`() async throws
    {
        struct Canceled: QueryHandler {
            func handle(_ query: Page) async throws -> String { throw CancellationError() }
        }
        let dispatcher = try StandardDispatcher {
            WriteHandler(book: book)
            Canceled()
        }
        await #expect(throws: AnswerUnavailable.self) { try await dispatcher.answer(to: Write(text: "One")) }
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await dispatcher.answer(to: Write(text: "One"))
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `the query of a later command of the handler is not the answer`() async throws {
        struct Copying: CommandHandler {
            let base: any Dispatcher
            func handle(_ command: Rewrite) async throws {
                try await base.dispatch(command)
                try await base.dispatch(Rewrite(number: 2, text: command.text))
            }
        }
        for text in ["One", "Two"] { try await dispatcher.dispatch(Write(text: text)) }
        let copying = try StandardDispatcher {
            Copying(base: dispatcher)
            PageHandler(book: book)
        }
        #expect(try await copying.answer(to: Rewrite(number: 1, text: "Uno")) == "Uno")
        #expect(book.pages.withLock(\.self) == ["Uno", "Uno"])
    }

    @Test func `a response is taken once, by its carrier, for its query and its caller`() async throws {
        let (carrier, other) = (Book(), Book())
        let answer = CommandAnswer<Write>()
        try await answer.noted {
            CommandAnswer<Write>.current?.note(
                Page(number: 1),
                in: AnswerResponse("One", of: nil, from: carrier)
            )
        }
        #expect(answer.takeResponse(to: Page(number: 2)) == nil)
        let response = try #require(answer.takeResponse(to: Page(number: 1)))
        #expect(answer.takeResponse(to: Page(number: 1)) == nil)
        let offer = AnswerOffer(response, of: Page(number: 1))
        #expect(AnswerOffer.take(Page(number: 1), at: carrier) == nil)
        await offer.run {
            #expect(AnswerOffer.take(Page(number: 2), at: carrier) == nil)
            #expect(AnswerOffer.take(Page(number: 1), at: other) == nil)
            await withPrincipal(Principal(id: "bob")) { #expect(AnswerOffer.take(Page(number: 1), at: carrier) == nil) }
            #expect(AnswerOffer.take(Page(number: 1), at: carrier) != nil)
            #expect(AnswerOffer.take(Page(number: 1), at: carrier) == nil)
        }
    }

    @Test func `a task that goes on after the dispatch notes nothing, and has no response`() async throws {
        let answer = CommandAnswer<Write>()
        var late: Task<Void, Never>?
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        try await answer.noted {
            late = Task {
                for await _ in stream {}
                CommandAnswer<Write>.current?.note(Page(number: 1))
            }
        }
        continuation.finish()
        await late?.value
        #expect(answer.knownQuery(of: Write(text: "One")) == nil)
    }

    @Test func `the door checks the command and the query`() async throws {
        let api = MessageAPI("book") {
            Write.authorized(.open)
            Page.authorized(.scope("read"))
        }
        let door = dispatcher.authorizing(api)
        let error = await #expect(throws: AnswerUnavailable.self) { try await door.answer(to: Write(text: "One")) }
        #expect(error?.reason as? AuthorizationError == .unauthenticated)
        let reader = Principal(id: "ada", scopes: ["read"])
        #expect(try await withPrincipal(reader) { try await door.answer(to: Write(text: "Two")) } == "Two")
    }
}

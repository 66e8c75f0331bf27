public import DuetMacros

/// A public command.
public struct Post: Command { let text: String }
struct Count: Query { typealias Value = Int }
struct Ints: Query { typealias Value = [Int] }
struct Strings: Query { typealias Value = [String] }

@Resolvable struct IntsHandler: QueryHandler, Sendable {
    func handle(_ query: Ints) async throws -> [Int] { [1, 2] }
}
@Resolvable struct StringsHandler: QueryHandler, Sendable {
    let text: String

    func handle(_ query: Strings) async throws -> [String] { [text] }
}
@MainActor final class Posts { var texts: [String] = [] }
@Resolvable @MainActor final class PostHandler: CommandHandler {
    let posts: Posts

    init(posts: Posts) { self.posts = posts }

    @MainActor func handle(_ command: Post) async throws { posts.texts.append(command.text) }
}
@Resolvable @MainActor final class CountHandler: QueryHandler {
    let posts: Posts

    init(posts: Posts) { self.posts = posts }

    @MainActor func handle(_ query: Count) async throws -> Int { posts.texts.count }
}

@Resolvable @Dispatcher struct AppDispatcher {
    let ints: IntsHandler
    let strings: any QueryHandler<Strings> & Sendable
    let post: PostHandler
    var count: CountHandler
}
/// A public dispatcher.
@Dispatcher public struct PublicDispatcher {
    let post: any CommandHandler<Post> & Sendable
}
@Dispatcher struct GenericDispatcher<H: QueryHandler & Sendable> {
    let generic: H, post: (any Duet.CommandHandler<Post> & Swift.Sendable)
}
@Dispatcher @MainActor struct MainDispatcher {
    let post: PostHandler
    let count: CountHandler
}

private func use(_ app: AppDispatcher, _ generic: GenericDispatcher<StringsHandler>) async throws {
    let ints: [Int] = try await app.dispatch(Ints())
    let strings: [String] = try await app.dispatch(Strings())
    let same: [String] = try await generic.dispatch(Strings())
    try await generic.dispatch(Post(text: "a"))
    let dispatcher: any Dispatcher = try app.dispatcher
    _ = (ints, strings, same, dispatcher)
}

@MainActor private func useOnMain(_ app: AppDispatcher, _ main: MainDispatcher) async throws {
    _ = try await app.dispatch(Ints())
    try await main.dispatch(Post(text: "a"))
    _ = try main.dispatcher
}

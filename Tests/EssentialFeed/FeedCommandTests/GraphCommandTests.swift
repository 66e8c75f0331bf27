import FeedTesting
import Foundation
import Testing

/// `feed graph`, which prints the application's dependencies.
@Suite(.serialized) struct GraphCommandTests {
    private let directory: TemporaryDirectory
    private var home: URL { directory.url }

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func `the graph names page and backend, their messages and what each handler needs`() async throws {
        let result = try await FeedCommand.run("graph", home: home)
        #expect(result.status == 0)
        #expect(result.error == "")
        let parts = result.output.split(separator: "\n\n").map { $0.split(separator: "\n") }
        #expect(parts.map(\.first) == ["page", "backend"])
        for line in [
            "  query FeedFeature.LoadFeed → LoadFeedHandler",
            "  query FeedFeature.LoadImageComments → ForwardingHandler<LoadImageComments, SenderDispatcher>",
            "  command FeedFeature.ClearFeedCache → ClearFeedCacheHandler",
            "  singleton HTTPClient → any Clock<Duration>, Logger, CurrentDate",
            "  singleton RemoteDispatcher → HTTPClient",
            "  transient LoadFeedHandler → RemoteDispatcher, LocalFeedLoader, QueryCache, Logger",
            "  transient FeedPages → QueryDispatcher, ImageIndex, RemovedImages, RenderedLists<CardPlace, "
                + "Array<FeedImageViewModel>, String>, PageSize, CurrentDate, Calendar, Logger",
        ] {
            #expect(parts.first?.contains { $0 == line } == true, "\(line)")
        }
        for line in [
            "  query FeedFeature.LoadImageComments → LoadImageCommentsHandler",
            "  transient LoadFeedHandler → UnitOfWork",
            "  command FeedFeature.PublishImage → PublishImageHandler",
            "  transient PostImageCommentHandler → UnitOfWork, CurrentDate, ClientQuota, MessageOrigin",
        ] {
            #expect(parts.last?.contains { $0 == line } == true, "\(line)")
        }
    }

    @Test(arguments: ["text", "dot"])
    func `the graph opens and creates nothing`(format: String) async throws {
        let result = try await FeedCommand.run("graph", "--format", format, home: home)
        #expect(result.status == 0)
        let made = try FileManager.default.contentsOfDirectory(atPath: home.path).filter { !$0.hasPrefix("run-") }
        #expect(made == [])
    }

    @Test func `in DOT both graphs are one drawing`() async throws {
        let result = try await FeedCommand.run("graph", "--format", "dot", home: home)
        #expect(result.status == 0)
        let lines = result.output.split(separator: "\n")
        #expect(lines.first == "digraph dependencies {")
        #expect(lines.last == "}")
        #expect(lines.filter { $0.hasPrefix("digraph") }.count == 1)
        #expect(lines.filter { $0.hasPrefix("  subgraph \"cluster ") }.count == 2)
        #expect(lines.contains { $0 == #"    "page: LoadFeedHandler" -> "page: LocalFeedLoader""# })
        #expect(lines.contains { $0 == #"    "backend: PublishImageHandler" -> "backend: UnitOfWork""# })
    }

    @Test func `Graphviz draws the graph`() async throws {
        let result = try await FeedCommand.run("graph", "--format", "dot", home: home)
        let drawing = home.appending(path: "graph.svg")
        let source = home.appending(path: "graph.dot")
        try Data(result.output.utf8).write(to: source)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["dot", "-Tsvg", source.path, "-o", drawing.path]
        let ended = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { ended.continuation.yield($0.terminationStatus) }
        try process.run()
        #expect(await ended.stream.first { _ in true } == 0)
        let svg = try String(contentsOf: drawing, encoding: .utf8)
        #expect(svg.ranges(of: "<svg ").count == 1)
        for text in ["page", "backend", "LoadFeedHandler", "FeedDatabase"] { #expect(svg.contains(">\(text)</text>")) }
    }
}

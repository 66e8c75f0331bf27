import DuetHTTP
import FuzzTesting
import HTTPTypes

/// The router: every path has an endpoint or none, consistently for all methods.
enum RouterTarget {
    static func read(_ input: [UInt8]) -> FuzzVerdict {
        let input = FuzzInput(input)
        guard let method = HTTPRequest.Method(input.first) else { return .elsewhere }
        return FuzzVerdict(fault(in: fuzzedAPI.route(method, input.second.prefix { $0 != "?" }), method))
    }

    private static func fault(in route: RoutedRequest, _ method: HTTPRequest.Method) -> String? {
        switch route {
        case .found(let served, let parameters):
            let meant = method == .head ? .get : method
            if served.method != meant { return "A \(method) found a \(served.method)" }
            let names = served.path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
                $0.dropFirst().dropLast()
            }
            if Set(parameters.keys) != Set(names.map(String.init)) { return "\(names) were read as \(parameters.keys)" }
            if parameters.values.contains("") { return "A placeholder stands for nothing" }
        case .methodNotAllowed(let allowed):
            if allowed.isEmpty || allowed.contains(method) { return "A \(method) may not be one of \(allowed)" }
            if Set(allowed).count != allowed.count { return "One of \(allowed) is there twice" }
        case .notFound: break
        }
        return nil
    }
}

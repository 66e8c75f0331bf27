package import Foundation

/// The metrics of this process, under the names that all client libraries of Prometheus use.
///
/// Memory and open files are left out on platforms without `/proc`.
package struct ProcessMetrics: Sendable {
    private let version: String
    private let startedAt: Date

    package init(version: String, startedAt: Date) {
        self.version = version
        self.startedAt = startedAt
    }

    var text: String {
        [
            family("feed_build_info", "gauge", "The version of the program.", "{version=\"\(version)\"} 1"),
            processorSeconds.map {
                family("process_cpu_seconds_total", "counter", "Processor time of the process, in seconds.", " \($0)")
            },
            openFiles.map {
                family("process_open_fds", "gauge", "Number of open files of the process.", " \($0)")
            },
            residentBytes.map {
                family("process_resident_memory_bytes", "gauge", "Resident memory of the process, in bytes.", " \($0)")
            },
            family(
                "process_start_time_seconds",
                "gauge",
                "Start of the process, in seconds since 1970.",
                " \(startedAt.timeIntervalSince1970)"
            ),
        ]
        .compactMap(\.self).joined()
    }

    private func family(_ name: String, _ type: String, _ help: String, _ sample: String) -> String {
        "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n\(name)\(sample)\n"
    }

    private var processorSeconds: Double? {
        var time = timespec()
        guard unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return nil }
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }

    private var openFiles: Int? {
        try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    private var residentBytes: Int? {
        // The second number is the resident memory, in pages (proc_pid_statm(5)).
        let fields = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        guard let fields, fields.count > 1 else { return nil }
        return Int(fields[1]).map { $0 * Int(sysconf(Int32(_SC_PAGESIZE))) }
    }
}

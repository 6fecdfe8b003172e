! SPDX-License-Identifier: Apache-2.0
! MPI processes that send each other messages by one of MPI's Fortran interfaces: mpif.h, or MODULE mpi or mpi_f08.
#if defined(WITH_F08)
#define HANDLE(kind) type(kind)
#define SOURCE_OF(status) status%MPI_SOURCE
#define STATUS_TYPE type(MPI_Status)
#else
#define HANDLE(kind) integer
#define SOURCE_OF(status) status(MPI_SOURCE)
#define STATUS_TYPE integer, dimension(MPI_STATUS_SIZE)
#endif

program fortran
#if defined(WITH_F08)
  use mpi_f08
#elif defined(WITH_MPI)
  use mpi
#endif
  implicit none
#if !defined(WITH_F08) && !defined(WITH_MPI)
  include 'mpif.h'
#endif
  HANDLE(MPI_Comm) :: other
  HANDLE(MPI_Request), dimension(2) :: requests
  STATUS_TYPE :: status
  integer :: rank, ranks, before, after, round, value, error
  integer, dimension(1), asynchronous :: sent, received
  double precision, dimension(1) :: sent_real, received_real

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  before = mod(rank + ranks - 1, ranks)
  after = mod(rank + 1, ranks)

  ! To the next rank, from the one before: 10 rounds of 4 bytes, one of 8.
  do round = 1, 10
    sent(1) = 100 * rank + round
    call MPI_Irecv(received, 1, MPI_INTEGER, before, round, MPI_COMM_WORLD, requests(1), error)
    call MPI_Isend(sent, 1, MPI_INTEGER, after, round, MPI_COMM_WORLD, requests(2), error)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
    if (received(1) /= 100 * before + round) stop 1
  end do
  sent_real(1) = rank
  call MPI_Sendrecv(sent_real, 1, MPI_DOUBLE_PRECISION, after, 0, received_real, 1, MPI_DOUBLE_PRECISION, before, 0, &
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  if (nint(received_real(1)) /= before) stop 2

  ! 4 bytes from each other rank to the first.
  sent(1) = rank
  if (rank /= 0) then
    call MPI_Send(sent, 1, MPI_INTEGER, 0, 7, MPI_COMM_WORLD, error)
  else
    do round = 2, ranks
      call MPI_Recv(received, 1, MPI_INTEGER, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, status, error)
      if (received(1) /= SOURCE_OF(status)) stop 3
    end do
  end if

  ! Five collective calls; MPI_Finalize is the sixth.
  value = 41 + rank
  call MPI_Bcast(value, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
  call MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (value /= 41 * ranks) stop 4
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Comm_dup(MPI_COMM_WORLD, other, error)
  call MPI_Barrier(other, error)
  call MPI_Comm_free(other, error)
  call MPI_Finalize(error)
end program
